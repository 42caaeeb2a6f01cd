import { useEffect, useMemo, useRef, useState } from "react";
import type { Agent } from "../../data/agents.ts";
import type { Row } from "../../data/client.ts";
import { hasEnded, type LiveTurn } from "../../data/live-run.ts";
import { useRespond } from "../../data/respond.ts";
import { useCancelRun } from "../../data/runs.ts";
import { type TriedMessage, useTriedMessages } from "../../data/tries.ts";
import { Banner } from "../../components/banner.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { MessageScroller } from "./message-scroller.tsx";
import { TryComposer } from "./try-composer.tsx";
import { AgentMessage, UserMessage } from "./try-messages.tsx";

interface TryConversationProps {
  readonly agent: Agent;
  readonly swarmId: string;
  /** The message that created the swarm. */
  readonly firstMessage: string | null;
}

export function TryConversation({ agent, swarmId, firstMessage }: TryConversationProps) {
  const { before, messages, pendingText, respond, send } = useTry(agent.id, swarmId, firstMessage);
  const cancel = useCancelRun();
  const live = respond.runs.find((run) => !hasEnded(run));
  const turns = new Map<string, { readonly turn: LiveTurn; readonly runId: string }>(
    respond.runs.flatMap((run) => run.turns.map((turn) => [turn.messageId, { turn, runId: run.id }])),
  );
  const liveTurns = [...turns.values()].filter(({ turn }) => !messages.some(({ id }) => id === turn.messageId));
  const runErrors = respond.runs.flatMap(({ id, errors }) => errors.map(({ message }) => ({ id, message })));
  return (
    <>
      <MessageScroller
        label="Conversation"
        mark={`${messages.length} ${liveTurns.map(({ turn }) => turn.text.length + turn.tools.length).join()}`}
      >
        {before.rows === undefined && firstMessage === null ? (
          <NotLoaded title="The messages could not be loaded." read={before} skeleton={<Skeleton className="h-40" />} />
        ) : (
          <ol aria-label={`Conversation with ${agent.name}`} className="grid gap-5">
            {/* A turn and its message have the same key, so that expanded parts stay expanded when the message is stored. */}
            {[
              ...messages.map((message) => (
                <li key={message.id} className="min-w-0">
                  {message.sender_type === "agent" ? (
                    <AgentMessage
                      agent={agent}
                      swarmId={swarmId}
                      text={message.content ?? ""}
                      data={message.data}
                      at={message.created_at}
                      runId={message.run_id}
                      turn={turns.get(message.id)?.turn}
                    />
                  ) : (
                    <UserMessage text={message.content ?? ""} at={message.created_at} />
                  )}
                </li>
              )),
              pendingText !== null && (
                <li key="pendingText" className="min-w-0 opacity-70">
                  <UserMessage text={pendingText} />
                </li>
              ),
              ...liveTurns.map(({ turn, runId }) => (
                <li key={turn.messageId} className="min-w-0">
                  <AgentMessage agent={agent} swarmId={swarmId} text={turn.text} runId={runId} turn={turn} />
                </li>
              )),
            ]}
          </ol>
        )}
        {runErrors.map(({ id, message }) => (
          <Banner key={id} tone="bad">
            {message}
          </Banner>
        ))}
        {respond.failure !== null && <Banner tone="bad">{respond.failure.message}</Banner>}
        {cancel.failure !== null && <Banner tone="bad">{cancel.failure.message}</Banner>}
      </MessageScroller>
      <TryComposer
        name={agent.name}
        place={agent.id}
        isBusy={respond.isAsking}
        onSend={send}
        onStop={live === undefined ? undefined : () => void cancel.run(live.id)}
      />
    </>
  );
}

/** The messages of the conversation: what is stored, what arrives, and what is being sent. Asks the first question. */
function useTry(agentId: string, swarmId: string, firstMessage: string | null) {
  const before = useTriedMessages(swarmId);
  const [received, setReceived] = useState<readonly TriedMessage[]>([]);
  const [pendingText, setPendingText] = useState<string | null>(firstMessage);
  const respond = useRespond(swarmId, {
    onMessage: (message: Row<"messages">) => {
      setReceived((old) => [...old.filter(({ id }) => id !== message.id), message]);
      if (message.sender_type === "user") setPendingText(null);
    },
  });
  const { ask } = respond;
  const send = async (message: string): Promise<boolean> => {
    setPendingText(message);
    const isAccepted = (await ask({ message, agentIds: [agentId] })) !== null;
    if (!isAccepted) setPendingText(null);
    return isAccepted;
  };
  const hasBegun = useRef(false);
  useEffect(() => {
    if (firstMessage === null || hasBegun.current) return;
    hasBegun.current = true;
    void ask({ message: firstMessage, agentIds: [agentId] }).then((runId) => runId ?? setPendingText(null));
  }, [ask, agentId, firstMessage]);
  const messages = useMemo(() => join(before.rows ?? [], received), [before.rows, received]);
  return { before, messages, pendingText, respond, send };
}

/** The oldest first, without duplicates. */
function join(stored: readonly TriedMessage[], received: readonly TriedMessage[]): readonly TriedMessage[] {
  const all = new Map([...stored, ...received].map((message) => [message.id, message]));
  return [...all.values()].toSorted((left, right) => (left.created_at < right.created_at ? -1 : 1));
}
