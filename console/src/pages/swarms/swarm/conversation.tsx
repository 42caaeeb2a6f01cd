import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { LiveRun } from "../../../data/live-run.ts";
import { hasEnded } from "../../../data/live-run.ts";
import { useConversation } from "../../../data/messages.ts";
import { useRespond } from "../../../data/respond.ts";
import { readQuestion, useStoredRunEnds } from "../../../data/run-ends.ts";
import { useLiveRuns } from "../../../data/runs.ts";
import type { Message } from "../../../data/conversation-pages.ts";
import { FailureState } from "../../../components/failure-state.tsx";
import { useToast } from "../../../components/toast.tsx";
import { SidePanel } from "../side/side-panel.tsx";
import { Composer, type ComposerHandle } from "./composer.tsx";
import { EmptyRoom } from "./empty-room.tsx";
import { groupLiveItems, groupStoredEnds, joinItems, type ListItem, listMessageItems } from "./list-items.ts";
import { MessageList, type MessageListHandle } from "./message-list.tsx";
import { useRoom } from "./room-context.ts";
import { MessagesSkeleton } from "./room-skeleton.tsx";
import { RunStrip } from "./run-strip.tsx";
import { type PendingMessage, usePendingMessages } from "./use-pending-messages.ts";
import { useLinkedMessage } from "./use-linked-message.ts";
import { useAnnounce } from "./use-announce.ts";
import { WithMessageActions } from "./message-actions.tsx";

const MOST_FOLLOWED = 40;
const NOTHING_SAID: readonly Message[] = [];

/** What is said, what is being said, and where one says something oneself. */
export function Conversation() {
  const { swarm, userId } = useRoom();
  const conversation = useConversation(swarm.id);
  const { messages, receive } = conversation;
  const pending = usePendingMessages(messages);
  const respond = useRespond(swarm.id, { onMessage: receive });
  const { runs } = respond;
  useFollowLiveRuns(swarm.id, respond.follow);
  useForgetOldRuns(runs, respond.forget);
  const [replyTo, setReplyTo] = useState<Message | null>(null);
  const list = useRef<MessageListHandle>(null);
  const composer = useRef<ComposerHandle>(null);
  const items = useItems(swarm.id, conversation, { pending: pending.messages, runs });
  const linked = useLinkedMessage({ conversation, list });
  const announcement = useAnnounce(messages, userId);
  const onReply = useCallback((message: Message) => {
    setReplyTo(message);
    composer.current?.focus();
  }, []);
  const onAskAgain = useAskAgain(composer);
  return (
    <div className="flex h-[calc(100dvh-3.5rem-6rem-1px-var(--above)-env(safe-area-inset-bottom))] min-h-80 lg:h-[calc(100dvh-3.5rem-var(--above))]">
      <section aria-label="Conversation" className="flex min-w-0 flex-1 flex-col">
        <p role="status" className="sr-only">
          {announcement}
        </p>
        <WithMessageActions runs={runs} receive={receive} onReply={onReply} onAskAgain={onAskAgain}>
          {messages === undefined ? (
            conversation.failure === null ? (
              <MessagesSkeleton />
            ) : (
              <div className="flex-1 p-6">
                <FailureState
                  title="The messages could not be loaded"
                  message={conversation.failure.message}
                  onRetry={conversation.reload}
                />
              </div>
            )
          ) : items.length === 0 ? (
            <EmptyRoom onSuggest={(text) => composer.current?.suggest(text)} />
          ) : (
            <MessageList
              ref={list}
              items={items}
              highlighted={linked.messageId}
              onJump={linked.jump}
              hasOlder={conversation.hasOlder}
              onStartReached={conversation.loadOlder}
            />
          )}
        </WithMessageActions>
        <div className="mx-auto w-full max-w-3xl px-4 pb-3 sm:px-6 lg:pb-5">
          <RunStrip runs={runs} />
          <Composer
            ref={composer}
            respond={respond}
            isBusy={runs.some(isAtWork)}
            pending={pending}
            receive={receive}
            replyTo={replyTo}
            onReplied={() => setReplyTo(null)}
            onSent={() => list.current?.toEnd()}
          />
        </div>
      </section>
      <SidePanel runs={runs} onJump={linked.jump} />
    </div>
  );
}

interface Happening {
  readonly pending: readonly PendingMessage[];
  readonly runs: readonly LiveRun[];
}

function useItems(
  swarmId: string,
  { messages = NOTHING_SAID, hasOlder }: ReturnType<typeof useConversation>,
  { pending, runs }: Happening,
): readonly ListItem[] {
  const stored = useStoredRunEnds(swarmId, messages[0]?.created_at ?? null);
  const followed = runs.map(({ id }) => id).join();
  const said = useMemo(() => listMessageItems(messages, hasOlder), [messages, hasOlder]);
  const kept = useMemo(() => {
    const ends = stored.filter(({ id }) => !followed.includes(id));
    return joinItems(said, groupStoredEnds(messages, ends));
  }, [said, messages, stored, followed]);
  const live = useMemo(() => groupLiveItems({ messages, pending, runs }), [messages, pending, runs]);
  return useMemo(() => joinItems(kept, live), [kept, live]);
}

/** What is asked again is a new question, of whoever asks again. */
function useAskAgain(composer: RefObject<ComposerHandle | null>): (runId: string) => void {
  const show = useToast();
  return useCallback(
    (runId) => {
      void readQuestion(runId).then(
        (question) => {
          if (question === null) show({ text: "The question was deleted, so it cannot be asked again.", tone: "bad" });
          else composer.current?.ask(question);
        },
        () => show({ text: "The question could not be read. Try again.", tone: "bad" }),
      );
    },
    [composer, show],
  );
}

/** A run that waits for a human leaves the swarm free. */
function isAtWork(run: LiveRun): boolean {
  return !hasEnded(run) && run.status !== "requires_action";
}

/** What is known of a run is worth keeping for a while, not for a whole day in the same room. */
function useForgetOldRuns(runs: readonly LiveRun[], forget: (runId: string) => void): void {
  const oldest = runs.length > MOST_FOLLOWED ? runs.find(hasEnded) : undefined;
  useEffect(() => {
    if (oldest !== undefined) forget(oldest.id);
  }, [oldest, forget]);
}

/** Runs of others, and one's own from before the page was loaded. */
function useFollowLiveRuns(swarmId: string, follow: (runId: string) => void): void {
  const live = useLiveRuns(swarmId);
  useEffect(() => {
    for (const { id } of live) follow(id);
  }, [live, follow]);
}
