import { hasEnded, type LiveRun, type LiveTurn } from "../../../data/live-run.ts";
import type { Message } from "../../../data/conversation-pages.ts";
import type { PendingMessage } from "./use-pending-messages.ts";

/** What stands in the list, one below the other. */
export type ListItem =
  | {
      readonly kind: "message";
      readonly key: string;
      readonly message: Message;
      readonly isContinued: boolean;
      /** Above it: the first message of all, or the first of a day. Not items of their own, since what is anchored must not move. */
      readonly isFirst: boolean;
      readonly isNewDay: boolean;
    }
  | { readonly kind: "pending"; readonly key: string; readonly pending: PendingMessage }
  | { readonly kind: "turn"; readonly key: string; readonly run: LiveRun; readonly turn: LiveTurn }
  | { readonly kind: "end"; readonly key: string; readonly run: LiveRun };

/** What one says within this time needs no name before it. */
const CONTINUED_MS = 5 * 60_000;
/** Where the messages of a run that is followed are found. */
const RECENT = 200;
/** Ends that need no word: the answer is there. */
const QUIET_ENDS = new Set(["all_replied", "no_reply_needed"]);

/** What has been said. Long, and made anew only when it changes. */
export function listMessageItems(messages: readonly Message[], hasOlder: boolean): readonly ListItem[] {
  return messages.map((message, at) => {
    const before = messages[at - 1] ?? null;
    return {
      kind: "message",
      key: message.id,
      message,
      isContinued: before !== null && continues(message, before),
      isFirst: before === null && !hasOlder,
      isNewDay: before === null || dayOf(before) !== dayOf(message),
    };
  });
}

interface LiveSources {
  readonly messages: readonly Message[];
  readonly pending: readonly PendingMessage[];
  readonly runs: readonly LiveRun[];
}

/** What a run that is followed adds to the list, and the message behind which it belongs; null is the end. */
export interface LiveGroup {
  readonly afterId: string | null;
  readonly items: readonly ListItem[];
}

export function groupLiveItems({ messages, pending, runs }: LiveSources): readonly LiveGroup[] {
  const recent = messages.slice(-RECENT);
  const stored = new Set(recent.map(({ id }) => id));
  const waiting = pending.map(
    (message) => ({ kind: "pending", key: message.clientMessageId, pending: message }) as const,
  );
  const groups = runs.map((run) => {
    // The message has the key of its turn, so that the one becomes the other without a jump.
    const turns = run.turns
      .filter((turn) => !stored.has(turn.messageId) && isWorthShowing(run, turn))
      .map((turn) => ({ kind: "turn", key: turn.messageId, run, turn }) as const);
    if (!hasEnded(run)) return { afterId: null, items: turns };
    const last = recent.findLast(({ id, run_id: runId }) => runId === run.id || id === run.questionId);
    const isQuiet = QUIET_ENDS.has(run.stopReason ?? "all_replied");
    const end = isQuiet ? [] : [{ kind: "end", key: `end ${run.id}`, run } as const];
    return { afterId: last?.id ?? null, items: [...turns, ...end] };
  });
  return [{ afterId: null, items: waiting }, ...groups].filter(({ items }) => items.length > 0);
}

/** Everything in one list. */
export function joinItems(said: readonly ListItem[], groups: readonly LiveGroup[]): readonly ListItem[] {
  const items = [...said];
  for (const { afterId, items: added } of groups) {
    const at = afterId === null ? -1 : items.findLastIndex(({ key }) => key === afterId);
    items.splice(at === -1 ? items.length : at + 1, 0, ...added);
  }
  return items;
}

/** A turn that ended without a message has failed, or had nothing to say. */
function isWorthShowing(run: LiveRun, turn: LiveTurn): boolean {
  if (turn.status === "thinking" || turn.status === "responding") return !hasEnded(run);
  return turn.error !== null || turn.text !== "";
}

function dayOf({ created_at: at }: Message): string {
  return new Date(at).toDateString();
}

function continues(message: Message, before: Message): boolean {
  if (dayOf(before) !== dayOf(message) || message.reply_to_id !== null) return false;
  if (before.sender_id !== message.sender_id || before.sender_type !== message.sender_type) return false;
  if (before.sender_name !== message.sender_name) return false;
  return Date.parse(message.created_at) - Date.parse(before.created_at) < CONTINUED_MS;
}
