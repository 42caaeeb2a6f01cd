import { useEffect, useMemo, useRef, useState } from "react";
import type { Agent } from "../../data/agents.ts";
import type { Row } from "../../data/client.ts";
import { hasEnded, type LiveTurn } from "../../data/live-run.ts";
import { useRespond } from "../../data/respond.ts";
import { useCancelRun } from "../../data/runs.ts";
import { type TriedMessage, useTriedMessages } from "../../data/tries.ts";
import { Banner } from "../../components/banner.tsx";
import { FailureState } from "../../components/failure-state.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { TryComposer } from "./try-composer.tsx";
import { AgentWords, OwnWords } from "./try-words.tsx";

export interface TryRoomProps {
  readonly agent: Agent;
  readonly swarmId: string;
  /** What was said before the swarm was there to hear it. */
  readonly firstWords: string | null;
}

export function TryRoom({ agent, swarmId, firstWords }: TryRoomProps) {
  const before = useTriedMessages(swarmId);
  const [heard, setHeard] = useState<readonly TriedMessage[]>([]);
  const [asked, setAsked] = useState<string | null>(firstWords);
  const respond = useRespond(swarmId, {
    onMessage: (message: Row<"messages">) => {
      setHeard((old) => [...old.filter(({ id }) => id !== message.id), message]);
      if (message.sender_type === "user") setAsked(null);
    },
  });
  const { ask } = respond;
  const cancel = useCancelRun();
  const send = async (message: string): Promise<boolean> => {
    setAsked(message);
    const isTaken = (await ask({ message, agentIds: [agent.id] })) !== null;
    if (!isTaken) setAsked(null);
    return isTaken;
  };
  const hasBegun = useRef(false);
  useEffect(() => {
    if (firstWords === null || hasBegun.current) return;
    hasBegun.current = true;
    void ask({ message: firstWords, agentIds: [agent.id] }).then((runId) => runId ?? setAsked(null));
  }, [ask, agent.id, firstWords]);

  const messages = useMemo(() => join(before.rows ?? [], heard), [before.rows, heard]);
  const live = respond.runs.find((run) => !hasEnded(run));
  const turns = new Map<string, { readonly turn: LiveTurn; readonly runId: string }>(
    respond.runs.flatMap((run) => run.turns.map((turn) => [turn.messageId, { turn, runId: run.id }])),
  );
  const unsaid = [...turns.values()].filter(({ turn }) => !messages.some(({ id }) => id === turn.messageId));
  const faults = respond.runs.flatMap(({ id, errors }) => errors.map(({ message }) => ({ id, message })));
  return (
    <>
      <Scroller mark={`${messages.length} ${unsaid.map(({ turn }) => turn.text.length + turn.tools.length).join()}`}>
        {before.rows === undefined && firstWords === null ? (
          before.failure === null ? (
            <Skeleton className="h-40" />
          ) : (
            <FailureState
              title="What was said could not be loaded."
              message={before.failure.message}
              onRetry={before.reload}
            />
          )
        ) : (
          <ol aria-label={`Conversation with ${agent.name}`} className="grid gap-5">
            {/* One list with one key for a turn and its message: what somebody has opened in it stays open when it is stored. */}
            {[
              ...messages.map((message) => (
                <li key={message.id} className="min-w-0">
                  {message.sender_type === "agent" ? (
                    <AgentWords
                      agent={agent}
                      swarmId={swarmId}
                      text={message.content ?? ""}
                      at={message.created_at}
                      runId={message.run_id}
                      turn={turns.get(message.id)?.turn}
                    />
                  ) : (
                    <OwnWords text={message.content ?? ""} at={message.created_at} />
                  )}
                </li>
              )),
              asked !== null && (
                <li key="asked" className="min-w-0 opacity-70">
                  <OwnWords text={asked} />
                </li>
              ),
              ...unsaid.map(({ turn, runId }) => (
                <li key={turn.messageId} className="min-w-0">
                  <AgentWords agent={agent} swarmId={swarmId} text={turn.text} runId={runId} turn={turn} />
                </li>
              )),
            ]}
          </ol>
        )}
        {faults.map(({ id, message }) => (
          <Banner key={id} tone="bad">
            {message}
          </Banner>
        ))}
        {respond.failure !== null && <Banner tone="bad">{respond.failure.message}</Banner>}
        {cancel.failure !== null && <Banner tone="bad">{cancel.failure.message}</Banner>}
      </Scroller>
      <TryComposer
        name={agent.name}
        isBusy={respond.isAsking}
        onSend={send}
        onStop={live === undefined ? undefined : () => void cancel.run(live.id)}
      />
    </>
  );
}

/** Stays at the end while words come in, unless somebody has scrolled up to read. */
function Scroller({ mark, children }: { readonly mark: string; readonly children: React.ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [mark]);
  return (
    <div
      ref={box}
      // what scrolls must be reachable by keyboard
      tabIndex={0}
      role="log"
      aria-label="Conversation"
      aria-live="off"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
      }}
      className="grid max-h-[min(36rem,calc(100dvh-25rem))] min-h-56 lg:max-h-[min(36rem,calc(100dvh-23rem))] content-start gap-4 overflow-y-auto px-4 py-5 -outline-offset-2 sm:px-5"
    >
      {children}
    </div>
  );
}

/** Oldest first, each once. */
function join(stored: readonly TriedMessage[], heard: readonly TriedMessage[]): readonly TriedMessage[] {
  const all = new Map([...stored, ...heard].map((message) => [message.id, message]));
  return [...all.values()].toSorted((left, right) => (left.created_at < right.created_at ? -1 : 1));
}
