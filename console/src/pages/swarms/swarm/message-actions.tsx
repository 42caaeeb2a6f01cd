import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import type { Message } from "../../../data/conversation-pages.ts";
import type { LiveRun, LiveTool } from "../../../data/live-run.ts";
import { useDeleteMessage } from "../../../data/message-writes.ts";
import { type ToolMark, useToolMarks } from "../../../data/runs.ts";
import { useToast } from "../../../components/toast.tsx";
import { useSwarmContext } from "./swarm-context.ts";

interface MessageActions {
  reply(message: Message): void;
  /** Hides the message and deletes it when the time for Undo is over. */
  remove(message: Message): void;
  /** The ids of messages whose deletion can still be undone. */
  readonly hidden: ReadonlySet<string>;
  receive(message: Message): void;
  /** Asks the question of a run again. */
  askAgain(runId: string): void;
  /** The known tool calls of a turn. */
  toolsOf(turnId: string): readonly LiveTool[];
}

const ActionsContext = createContext<MessageActions | null>(null);

/** As long as the toast with Undo is shown. */
const UNDO_MS = 10_000;

export function useMessageActions(): MessageActions {
  const actions = useContext(ActionsContext);
  if (actions === null) throw new Error("useMessageActions was called outside of a conversation");
  return actions;
}

interface WithMessageActionsProps {
  readonly runs: readonly LiveRun[];
  receive(message: Message): void;
  onReply(message: Message): void;
  onAskAgain(runId: string): void;
  readonly children: ReactNode;
}

export function WithMessageActions({ runs, receive, onReply, onAskAgain, children }: WithMessageActionsProps) {
  const { hidden, remove } = useUndoableDelete(receive);
  const toolsOf = useToolsOf(runs);
  const actions = useMemo(
    () => ({ reply: onReply, askAgain: onAskAgain, remove, hidden, receive, toolsOf }),
    [onReply, onAskAgain, remove, hidden, receive, toolsOf],
  );
  return <ActionsContext value={actions}>{children}</ActionsContext>;
}

const NO_TOOLS: readonly LiveTool[] = [];

/** Attached runs have all details of a tool call; for earlier runs only names and status are known. */
function useToolsOf(runs: readonly LiveRun[]): (turnId: string) => readonly LiveTool[] {
  const { swarm } = useSwarmContext();
  const marks = useToolMarks(swarm.id);
  // Keeps the identity of the callback while only the text of a turn changes.
  const followed = runs.flatMap((run) => run.turns).filter(({ tools }) => tools.length > 0);
  const known = useRef(followed);
  const isSame =
    known.current.length === followed.length &&
    followed.every((turn, index) => turn.tools === known.current[index]?.tools);
  if (!isSame) known.current = followed;
  const turns = known.current;
  return useCallback(
    (turnId) => turns.find(({ id }) => id === turnId)?.tools ?? marks.get(turnId)?.map(toMarkedTool) ?? NO_TOOLS,
    [turns, marks],
  );
}

function toMarkedTool({ id, tool_name: name, status, duration_ms: durationMs }: ToolMark): LiveTool {
  const hidden = { agentId: null, input: undefined, output: undefined, error: null };
  return { id, name, status, durationMs, ...hidden, expiresAt: null, wait: null, question: null };
}

/** Delays the request, because the service cannot restore a deleted message. */
function useUndoableDelete(receive: (message: Message) => void) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const waiting = useRef(new Map<string, () => void>());
  const { run } = useDeleteMessage();
  const show = useToast();
  const uncover = useCallback(
    (id: string) => setHidden((before) => new Set([...before].filter((one) => one !== id))),
    [],
  );
  const remove = useCallback(
    (message: Message) => {
      const { id } = message;
      setHidden((before) => new Set([...before, id]));
      const commit = () => {
        clearTimeout(timer);
        if (!waiting.current.delete(id)) return;
        void run(id).then((done) => {
          if (done === null) show({ text: "The message could not be deleted.", tone: "bad" });
          else receive({ ...message, content: null, deleted_at: new Date().toISOString() });
          uncover(id);
        });
      };
      const timer = setTimeout(commit, UNDO_MS);
      waiting.current.set(id, commit);
      const undo = () => {
        clearTimeout(timer);
        if (waiting.current.delete(id)) uncover(id);
      };
      show({ text: "The message is deleted.", action: { label: "Undo", run: undo } });
    },
    [run, show, receive, uncover],
  );
  useEffect(() => {
    const all = waiting.current;
    const commitAll = () => {
      for (const commit of all.values()) commit();
    };
    addEventListener("pagehide", commitAll);
    return () => {
      removeEventListener("pagehide", commitAll);
      commitAll();
    };
  }, []);
  return { hidden, remove };
}
