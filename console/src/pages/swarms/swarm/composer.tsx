import { MessageSquare, SendHorizontal, X } from "lucide-react";
import { type Ref, useImperativeHandle, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Message } from "../../../data/conversation-pages.ts";
import { useDraft } from "../../../data/drafts.ts";
import { useStoreMessage } from "../../../data/message-writes.ts";
import type { Question, Respond } from "../../../data/respond.ts";
import type { AskedQuestion } from "../../../data/run-ends.ts";
import type { Swarm } from "../../../data/swarms.ts";
import { usePublishedAgent } from "../../../data/published-agents.ts";
import { Button } from "../../../components/button.tsx";
import { CodeBlock } from "../../../components/code-block.tsx";
import { useCommands } from "../../../components/commands.tsx";
import { IconButton } from "../../../components/icon-button.tsx";
import { toPlainLine } from "../../../components/to-plain-line.ts";
import { Banner } from "../../../components/banner.tsx";
import { Link } from "../../../components/link.tsx";
import { AskSwitch } from "./ask-switch.tsx";
import { ComposerField } from "./composer-field.tsx";
import { SendFailure } from "./send-failure.tsx";
import { useSwarmContext } from "./swarm-context.ts";
import type { PendingMessages } from "./use-pending-messages.ts";
import { StatusBanner } from "./status-banner.tsx";

export interface ComposerHandle {
  focus(): void;
  /** Fills in a text. */
  suggest(text: string): void;
  /** Sends a question without changing the field. */
  ask(question: AskedQuestion): void;
}

interface ComposerProps {
  readonly ref: Ref<ComposerHandle>;
  readonly respond: Respond;
  /** A run is in progress. */
  readonly isBusy: boolean;
  readonly pending: PendingMessages;
  receive(message: Message): void;
  readonly replyTo: Message | null;
  onReplied(): void;
  onSent(): void;
}

const CONFLICT_LABELS = {
  enqueue: "your question is queued.",
  reject: "another question is rejected.",
  interrupt: "your question interrupts it.",
} as const;

/** The form that sends messages and questions. */
export function Composer(props: ComposerProps) {
  const { ref, isBusy, replyTo, onReplied } = props;
  const { swarm, rights, swarmAgents, presence } = useSwarmContext();
  const draft = useDraft(swarm.id);
  const [isAsking, setAsking] = useState(true);
  const canAsk = swarm.status === "active";
  const { send, failure, resetFailure } = useSend(props, draft);
  const { field, focus } = useControls(ref, draft, send);
  const submit = (asksAgents: boolean, onConflict?: Question["onConflict"]) => {
    if (draft.text.trim() === "") focus();
    else {
      const { text: content, clientMessageId } = draft;
      draft.clear();
      presence.reportTyping(false);
      onReplied();
      send({ content, clientMessageId, replyToId: replyTo?.id ?? null, asksAgents: asksAgents && canAsk, onConflict });
    }
  };
  if (!rights.canWrite)
    return (
      <div className="grid grid-cols-1 gap-2">
        <StatusBanner />
        {draft.text !== "" && <CodeBlock label="What you were writing" code={draft.text} isWrapped />}
      </div>
    );
  return (
    <div className="grid grid-cols-1 gap-2">
      {swarm.status !== "active" && <StatusBanner />}
      <PrivateAgentNote />
      {failure !== null && (
        <SendFailure failure={failure} onDismiss={resetFailure} onAskAgain={(onConflict) => submit(true, onConflict)} />
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit(isAsking);
        }}
        className="relative rounded-xl border border-field-line bg-surface shadow-1 focus-within:border-accent focus-within:outline-2 focus-within:outline-accent"
      >
        {replyTo !== null && <RepliedTo message={replyTo} onCancel={onReplied} />}
        <ComposerField
          ref={field}
          text={draft.text}
          onChange={(text) => {
            draft.setText(text);
            presence.reportTyping(text.trim() !== "");
          }}
          onSend={(isOther) => submit(isOther ? !isAsking : isAsking)}
          swarmAgents={swarmAgents.rows ?? []}
          placeholder={isAsking && canAsk ? "Ask the agents. Type @ to mention one." : "Write a message."}
        />
        <div className="flex items-center gap-2 px-2 pb-2">
          <AskSwitch isAsking={isAsking && canAsk} isDisabled={!canAsk} onChange={setAsking} />
          <span className="hidden min-w-0 flex-1 truncate text-right text-sm text-ink-faint sm:block">
            {describeNextStep({ swarm, isBusy, isAsking: isAsking && canAsk })}
          </span>
          <Button
            type="submit"
            variant="primary"
            size="small"
            icon={isAsking && canAsk ? <SendHorizontal /> : <MessageSquare />}
            disabled={draft.text.trim() === ""}
            className="ml-auto"
          >
            {isAsking && canAsk ? "Ask" : "Send"}
          </Button>
        </div>
      </form>
    </div>
  );
}

/** The message that the text answers. */
function RepliedTo({ message, onCancel }: { readonly message: Message; onCancel(): void }) {
  return (
    <div className="flex items-center gap-2 border-b border-line px-3 py-1.5 text-sm text-ink-soft">
      <span className="min-w-0 flex-1 truncate">
        In reply to <span className="font-medium">{message.sender_name}</span>: {toPlainLine(message.content ?? "")}
      </span>
      <IconButton size="small" label="Cancel reply" icon={<X />} onClick={onCancel} />
    </div>
  );
}

function describeNextStep(now: {
  readonly swarm: Swarm;
  readonly isBusy: boolean;
  readonly isAsking: boolean;
}): string {
  const { swarm, isBusy, isAsking } = now;
  if (isAsking && isBusy) return `A run is under way: ${CONFLICT_LABELS[swarm.settings.on_conflict ?? "enqueue"]}`;
  if (!isAsking && swarm.status === "active" && swarm.settings.auto_respond === true)
    return "Agents answer every message here.";
  return "";
}

type Draft = ReturnType<typeof useDraft>;

/** The field, and how the page and the keyboard reach it. */
function useControls(ref: Ref<ComposerHandle>, draft: Draft, send: (question: SendOptions) => void) {
  const field = useRef<HTMLTextAreaElement>(null);
  /** With the caret at the end. */
  const focus = () => {
    field.current?.focus();
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length);
  };
  useImperativeHandle(ref, () => ({
    focus,
    suggest: (text) => {
      // Synchronously: a frame later the caret could move while the user types.
      flushSync(() => draft.setText(text));
      focus();
    },
    ask: (question) => send({ ...question, clientMessageId: crypto.randomUUID(), asksAgents: true }),
  }));
  useCommands([
    {
      id: "swarm.write",
      label: "Write a message",
      group: "This swarm",
      icon: <SendHorizontal />,
      keys: "r",
      run: () => setTimeout(focus, 0),
    },
  ]);
  return { field, focus };
}

interface SendOptions extends AskedQuestion {
  readonly clientMessageId: string;
  readonly asksAgents: boolean;
  readonly onConflict?: Question["onConflict"];
}

/** Restores a rejected text to the field, unless the user has typed something else. */
function useSend({ respond, pending, receive, onSent }: ComposerProps, draft: Draft) {
  const { swarm } = useSwarmContext();
  const say = useStoreMessage();
  const resetFailure = () => {
    respond.reset();
    say.reset();
  };
  const send = ({ content, clientMessageId, replyToId, agentIds, asksAgents, onConflict }: SendOptions) => {
    resetFailure();
    pending.add({ clientMessageId, content, replyToId });
    onSent();
    const asked = asksAgents
      ? respond.ask({
          message: content,
          replyToId,
          clientMessageId,
          ...(agentIds !== undefined && { agentIds }),
          ...(onConflict !== undefined && { onConflict }),
        })
      : say.run({ swarmId: swarm.id, content, replyToId, clientMessageId }).then((stored) => {
          if (stored !== null) receive(stored);
          return stored;
        });
    void asked.then((done) => {
      if (done !== null) return;
      pending.drop(clientMessageId);
      draft.restore(content, clientMessageId);
    });
  };
  return { send, failure: respond.failure ?? say.failure, resetFailure };
}

/** In a private conversation with an agent of somebody else: whether it still answers, and who reads. */
function PrivateAgentNote() {
  const { private_agent_id: id, transcripts } = useSwarmContext().swarm;
  const { rows: agent } = usePublishedAgent(id ?? "", id !== null && transcripts !== null);
  const isRead = transcripts === "owner";
  // A conversation keeps its readers: under a grant that says otherwise, another one begins.
  const isOver = agent === null || (agent !== undefined && agent.transcripts !== transcripts);
  if (!isRead && !isOver) return null;
  return (
    <Banner tone="warning">
      {agent === null &&
        "The agent no longer answers you: its owner has withdrawn or deleted it. The conversation stays readable. "}
      {isRead && `The owner of ${agent?.name ?? "the agent"} reads this conversation. `}
      {agent && isOver && "The owner has changed who reads conversations, so the agent answers in a new one. "}
      {agent && <Link to={`/for-you/${agent.id}`}>About the agent</Link>}
    </Banner>
  );
}
