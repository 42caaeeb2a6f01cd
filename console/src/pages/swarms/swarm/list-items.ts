import type { RunStatus, RunStopReason } from "@swarmbase/sdk";
import { hasEnded, type LiveRun, type LiveTurn } from "../../../data/live-run.ts";
import { QUIET_ENDS, type StoredRunEnd } from "../../../data/run-ends.ts";
import type { Message } from "../../../data/conversation-pages.ts";
import type { PendingMessage } from "./use-pending-messages.ts";

/** An item of the conversation. */
export type ListItem =
  | {
      readonly kind: "message";
      readonly key: string;
      readonly message: Message;
      readonly isContinued: boolean;
      /** Shows a heading above the first message of the conversation or of a day. Not separate items, because inserting them would move the scroll anchor. */
      readonly isFirst: boolean;
      readonly isNewDay: boolean;
      /** Shows the line above the first message that the user has not read. */
      readonly isFirstUnread: boolean;
    }
  | { readonly kind: "pending"; readonly key: string; readonly pending: PendingMessage }
  | { readonly kind: "turn"; readonly key: string; readonly run: LiveRun; readonly turn: LiveTurn }
  | { readonly kind: "end"; readonly key: string; readonly end: RunEnd };

/** The end of a run in which not all agents replied. */
export interface RunEnd {
  readonly runId: string;
  readonly status: RunStatus;
  readonly stopReason: RunStopReason | null;
  /** Errors that no other item shows. */
  readonly errorMessages: readonly string[];
  readonly hasQuestion: boolean;
}

/** Messages of the same sender within this time omit avatar and name. */
const CONTINUED_MS = 5 * 60_000;
/** The number of newest messages in which the messages of attached runs are searched. */
const RECENT = 200;

export function listMessageItems(
  messages: readonly Message[],
  hasOlder: boolean,
  firstUnreadId: string | null,
): readonly ListItem[] {
  return messages.map((message, index) => {
    const before = messages[index - 1] ?? null;
    return {
      kind: "message",
      key: message.id,
      message,
      isContinued: before !== null && continues(message, before),
      isFirst: before === null && !hasOlder,
      isNewDay: before === null || dayOf(before) !== dayOf(message),
      isFirstUnread: message.id === firstUnreadId,
    };
  });
}

interface LiveSources {
  readonly messages: readonly Message[];
  readonly pending: readonly PendingMessage[];
  readonly runs: readonly LiveRun[];
}

/** Items that an attached run adds after a message; null means at the end. */
interface LiveGroup {
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
    // A turn has the key of its message, so that React keeps the element when the message is stored.
    const turns = run.turns
      .filter((turn) => !stored.has(turn.messageId) && isWorthShowing(run, turn))
      .map((turn) => ({ kind: "turn", key: turn.messageId, run, turn }) as const);
    if (!hasEnded(run)) return { afterId: null, items: turns };
    const last = recent.findLast(({ id, run_id: runId }) => runId === run.id || id === run.questionId);
    const isQuiet = run.stopReason === null || QUIET_ENDS.some((quiet) => quiet === run.stopReason);
    return { afterId: last?.id ?? null, items: [...turns, ...(isQuiet ? [] : [toEndItem(endOf(run))])] };
  });
  return [{ afterId: null, items: waiting }, ...groups].filter(({ items }) => items.length > 0);
}

/** The ends of runs that are not attached, each after the last message of its run. */
export function groupStoredEnds(messages: readonly Message[], ends: readonly StoredRunEnd[]): readonly LiveGroup[] {
  if (ends.length === 0) return [];
  const lastOf = new Map<string, string>();
  for (const { id, run_id: runId } of messages) {
    lastOf.set(id, id);
    if (runId !== null) lastOf.set(runId, id);
  }
  return ends.flatMap((end) => {
    const afterId = lastOf.get(end.id) ?? lastOf.get(end.message_id ?? "");
    // The end is shown when its message is loaded.
    return afterId === undefined ? [] : [{ afterId, items: [toEndItem(storedEndOf(end))] }];
  });
}

/** Merges the groups into the messages. */
export function joinItems(messageItems: readonly ListItem[], groups: readonly LiveGroup[]): readonly ListItem[] {
  const known = new Set(messageItems.map(({ key }) => key));
  const byAnchor = Map.groupBy(groups, ({ afterId }) => (afterId !== null && known.has(afterId) ? afterId : null));
  const itemsAt = (anchor: string | null): readonly ListItem[] =>
    byAnchor.get(anchor)?.flatMap(({ items }) => items) ?? [];
  // Fast path, because this runs for every streamed token.
  if ([...byAnchor.keys()].every((anchor) => anchor === null)) return [...messageItems, ...itemsAt(null)];
  const joined = messageItems.flatMap((item, index) => {
    const before = messageItems[index - 1];
    const isSeparated =
      item.kind === "message" && item.isContinued && before !== undefined && itemsAt(before.key).length > 0;
    return [isSeparated ? { ...item, isContinued: false } : item, ...itemsAt(item.key)];
  });
  return [...joined, ...itemsAt(null)];
}

function toEndItem(end: RunEnd): ListItem {
  return { kind: "end", key: `end ${end.runId}`, end };
}

function endOf({ id, status, stopReason, errors, turns, questionId }: LiveRun): RunEnd {
  // The item of the turn shows its own error.
  const errorMessages = turns.some(({ error }) => error !== null)
    ? []
    : errors.slice(0, 1).map(({ message }) => message);
  return { runId: id, status, stopReason, errorMessages, hasQuestion: questionId !== null };
}

function storedEndOf({
  id,
  status,
  stop_reason: stopReason,
  error,
  run_turns: turns,
  message_id,
}: StoredRunEnd): RunEnd {
  const failed = turns.flatMap(({ agent_name: name, error: turnError }) =>
    turnError === null ? [] : [`${name}: ${turnError.message}`],
  );
  const errorMessages = failed.length > 0 ? [...new Set(failed)] : error === null ? [] : [error.message];
  return { runId: id, status, stopReason, errorMessages, hasQuestion: message_id !== null };
}

/** Turns that are in progress, failed, or have a text. */
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
