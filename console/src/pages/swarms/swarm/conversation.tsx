import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { LiveRun } from "../../../data/live-run.ts";
import { hasEnded } from "../../../data/live-run.ts";
import { useConversation } from "../../../data/messages.ts";
import { useMarkRead } from "../../../data/read-positions.ts";
import { useRespond } from "../../../data/respond.ts";
import { readQuestion, useStoredRunEnds } from "../../../data/run-ends.ts";
import { useLiveRuns } from "../../../data/runs.ts";
import type { Swarm } from "../../../data/swarms.ts";
import type { Message } from "../../../data/conversation-pages.ts";
import { nameOf } from "../../../data/members.ts";
import { FailureState } from "../../../components/failure-state.tsx";
import { useToast } from "../../../components/toast.tsx";
import { toPlainLine } from "../../../components/to-plain-line.ts";
import { SidePanel } from "../side/side-panel.tsx";
import { Composer, type ComposerHandle } from "./composer.tsx";
import { EmptyConversation } from "./empty-conversation.tsx";
import { groupLiveItems, groupStoredEnds, joinItems, type ListItem, listMessageItems } from "./list-items.ts";
import { MessageList, type MessageListHandle } from "./message-list.tsx";
import { useSwarmContext } from "./swarm-context.ts";
import { MessagesSkeleton } from "./swarm-skeleton.tsx";
import { RunStrip } from "./run-strip.tsx";
import { type PendingMessage, usePendingMessages } from "./use-pending-messages.ts";
import { useLinkedMessage } from "./use-linked-message.ts";
import { WithMessageActions } from "./message-actions.tsx";

const MAX_NAMES = 3;
const names = new Intl.ListFormat("en", { type: "conjunction" });
const MAX_ATTACHED = 40;
const NO_MESSAGES: readonly Message[] = [];

/** The messages, the live turns and the composer of a swarm. */
export function Conversation() {
  const { swarm, userId } = useSwarmContext();
  const conversation = useConversation(swarm.id);
  const { messages, receive } = conversation;
  const readUpTo = swarm.read_positions[0]?.last_read_seq ?? 0;
  useMarkRead(swarm.id, messages?.at(-1)?.seq, readUpTo);
  const pending = usePendingMessages(messages);
  const respond = useRespond(swarm.id, { onMessage: receive });
  const { runs } = respond;
  useAttachToLiveRuns(swarm.id, respond.attach);
  useDetachOldRuns(runs, respond.detach);
  const [replyTo, setReplyTo] = useState<Message | null>(null);
  const list = useRef<MessageListHandle>(null);
  const composer = useRef<ComposerHandle>(null);
  const firstUnread = useFirstUnread(swarm, messages, userId);
  const items = useItems(swarm, conversation, { pending: pending.messages, runs, firstUnreadId: firstUnread.id });
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
            <EmptyConversation onSuggest={(text) => composer.current?.suggest(text)} />
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
          <TypingLine />
          <Composer
            ref={composer}
            respond={respond}
            isBusy={runs.some(isRunning)}
            pending={pending}
            receive={receive}
            replyTo={replyTo}
            onReplied={() => setReplyTo(null)}
            onSent={() => {
              firstUnread.hold();
              list.current?.toEnd();
            }}
          />
        </div>
      </section>
      <SidePanel runs={runs} onJump={linked.jump} />
    </div>
  );
}

interface LiveState {
  readonly pending: readonly PendingMessage[];
  readonly runs: readonly LiveRun[];
  readonly firstUnreadId: string | null;
}

function useItems(
  swarm: Swarm,
  { messages = NO_MESSAGES, hasOlder }: ReturnType<typeof useConversation>,
  { pending, runs, firstUnreadId }: LiveState,
): readonly ListItem[] {
  const stored = useStoredRunEnds(swarm.id, messages[0]?.created_at ?? null);
  const attached = runs.map(({ id }) => id).join();
  const said = useMemo(() => listMessageItems(messages, hasOlder, firstUnreadId), [messages, hasOlder, firstUnreadId]);
  const withEnds = useMemo(() => {
    const ends = stored.filter(({ id }) => !attached.includes(id));
    return joinItems(said, groupStoredEnds(messages, ends));
  }, [said, messages, stored, attached]);
  const live = useMemo(() => groupLiveItems({ messages, pending, runs }), [messages, pending, runs]);
  return useMemo(() => joinItems(withEnds, live), [withEnds, live]);
}

/** Asks the question of a run again, as a new question of the current user. */
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

/** A run that waits does not block the swarm. */
function isRunning(run: LiveRun): boolean {
  return !hasEnded(run) && run.status !== "requires_action" && run.status !== "waiting";
}

/** Detaches old runs, so that a long session does not accumulate them. */
function useDetachOldRuns(runs: readonly LiveRun[], detach: (runId: string) => void): void {
  const oldest = runs.length > MAX_ATTACHED ? runs.find(hasEnded) : undefined;
  useEffect(() => {
    if (oldest !== undefined) detach(oldest.id);
  }, [oldest, detach]);
}

/** Attaches to runs of other users, and to own runs from before a reload. */
function useAttachToLiveRuns(swarmId: string, attach: (runId: string) => void): void {
  const live = useLiveRuns(swarmId);
  useEffect(() => {
    for (const { id } of live) attach(id);
  }, [live, attach]);
}

/** Says who else is writing a message. Not announced: it changes all the time. */
function TypingLine() {
  const { presence, members } = useSwarmContext();
  const writing = (members.rows ?? []).filter(({ user_id: id }) => id !== null && presence.typing.has(id));
  if (writing.length === 0) return null;
  const who =
    writing.length > MAX_NAMES ? `${writing.length} people` : names.format(writing.map((member) => nameOf(member)));
  return (
    <p className="truncate px-1 pb-1 text-sm text-ink-soft">
      {who} {writing.length === 1 ? "is" : "are"} typing …
    </p>
  );
}

/** The newest complete message of another sender, for screen readers. */
function useAnnounce(messages: readonly Message[] | undefined, userId: string): string {
  const [text, setText] = useState("");
  const last = messages?.at(-1);
  const known = useRef<number | null>(null);
  useEffect(() => {
    if (messages === undefined) return;
    const seq = last?.seq ?? 0;
    const isNew = known.current !== null && seq > known.current;
    known.current = seq;
    if (isNew && last !== undefined && last.sender_user_id !== userId && last.content !== null)
      setText(`${last.sender_name}: ${toPlainLine(last.content)}`);
  }, [messages, last, userId]);
  return text;
}

interface FirstUnread {
  /** The first message of others that the user had not read when the page was opened; null for none. */
  readonly id: string | null;
  /** Keeps the line where it is, or absent: a user who writes has read everything, and sees what comes next. */
  hold(): void;
}

function useFirstUnread(swarm: Swarm, messages: readonly Message[] = [], userId: string): FirstUnread {
  // What is read from now on does not move the line.
  const [readUpTo] = useState(() => swarm.read_positions[0]?.last_read_seq ?? null);
  const [held, setHeld] = useState<string | null>();
  const id = held === undefined ? findFirstUnread(messages, readUpTo, userId) : held;
  return { id, hold: () => setHeld(id) };
}

/** Null as well while the last message that was read is not loaded. */
function findFirstUnread(messages: readonly Message[], readUpTo: number | null, userId: string): string | null {
  const read = messages.findIndex(({ seq }) => seq === readUpTo);
  const unread = read === -1 ? [] : messages.slice(read + 1);
  return unread.find(({ sender_user_id: senderId }) => senderId !== userId)?.id ?? null;
}
