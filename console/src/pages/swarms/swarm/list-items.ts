import type { RunStatus, RunStopReason } from "@swarmbase/sdk";
import { hasEnded, type LiveRun, type LiveTurn } from "../../../data/live-run.ts";
import { QUIET_ENDS, type StoredRunEnd } from "../../../data/run-ends.ts";
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
  | { readonly kind: "end"; readonly key: string; readonly end: RunEnd };

/** That a run ended without everybody having answered, and why. */
export interface RunEnd {
  readonly runId: string;
  readonly status: RunStatus;
  readonly stopReason: RunStopReason | null;
  /** What went wrong, as far as nothing else in the list tells it. */
  readonly faults: readonly string[];
  readonly hasQuestion: boolean;
}

/** What one says within this time needs no name before it. */
const CONTINUED_MS = 5 * 60_000;
/** Where the messages of a run that is followed are found. */
const RECENT = 200;

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
    const isQuiet = run.stopReason === null || QUIET_ENDS.some((quiet) => quiet === run.stopReason);
    return { afterId: last?.id ?? null, items: [...turns, ...(isQuiet ? [] : [toEndItem(endOf(run))])] };
  });
  return [{ afterId: null, items: waiting }, ...groups].filter(({ items }) => items.length > 0);
}

/** How runs ended that are not followed here, each behind the last message that belongs to it. */
export function groupStoredEnds(messages: readonly Message[], ends: readonly StoredRunEnd[]): readonly LiveGroup[] {
  if (ends.length === 0) return [];
  const lastOf = new Map<string, string>();
  for (const { id, run_id: runId } of messages) {
    lastOf.set(id, id);
    if (runId !== null) lastOf.set(runId, id);
  }
  return ends.flatMap((end) => {
    const afterId = lastOf.get(end.id) ?? lastOf.get(end.message_id ?? "");
    // Those of messages that have not been read yet come with them.
    return afterId === undefined ? [] : [{ afterId, items: [toEndItem(storedEndOf(end))] }];
  });
}

/** Everything in one list. */
export function joinItems(said: readonly ListItem[], groups: readonly LiveGroup[]): readonly ListItem[] {
  const known = new Set(said.map(({ key }) => key));
  const byPlace = Map.groupBy(groups, ({ afterId }) => (afterId !== null && known.has(afterId) ? afterId : null));
  const itemsAt = (place: string | null): readonly ListItem[] =>
    byPlace.get(place)?.flatMap(({ items }) => items) ?? [];
  // While an answer is being given this happens with every word.
  if ([...byPlace.keys()].every((place) => place === null)) return [...said, ...itemsAt(null)];
  const joined = said.flatMap((item, at) => {
    const before = said[at - 1];
    const isApart =
      item.kind === "message" && item.isContinued && before !== undefined && itemsAt(before.key).length > 0;
    return [isApart ? { ...item, isContinued: false } : item, ...itemsAt(item.key)];
  });
  return [...joined, ...itemsAt(null)];
}

function toEndItem(end: RunEnd): ListItem {
  return { kind: "end", key: `end ${end.runId}`, end };
}

function endOf({ id, status, stopReason, errors, turns, questionId }: LiveRun): RunEnd {
  // What an agent failed with stands at its name already.
  const faults = turns.some(({ error }) => error !== null) ? [] : errors.slice(0, 1).map(({ message }) => message);
  return { runId: id, status, stopReason, faults, hasQuestion: questionId !== null };
}

function storedEndOf({
  id,
  status,
  stop_reason: stopReason,
  error,
  run_turns: turns,
  message_id,
}: StoredRunEnd): RunEnd {
  const failed = turns.flatMap(({ agent_name: name, error: fault }) =>
    fault === null ? [] : [`${name}: ${fault.message}`],
  );
  const faults = failed.length > 0 ? [...new Set(failed)] : error === null ? [] : [error.message];
  return { runId: id, status, stopReason, faults, hasQuestion: message_id !== null };
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
