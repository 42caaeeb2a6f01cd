import type pg from "pg";
import type { Principal } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import { batchPauseMs } from "../providers/stream-pace.ts";
import type { StreamHub } from "./stream-hub.ts";
import { createEventReader } from "./event-reader.ts";
import { Subscriber, type SubscriberOptions, type Viewer } from "./subscriber.ts";
import { createRejection } from "../rejections/rejections.ts";
import { type SubscriberInput, checkSubscribers, type SubscriberState } from "./sql/check-subscribers.ts";

export interface SubscriberTimes {
  /** How often the permissions of all subscribers are checked. */
  readonly checkMs: number;
  /** How long a subscriber continues without a successful check. */
  readonly maxUncheckedMs: number;
}

/** A member who is removed from a swarm must receive nothing after ten seconds. */
const TIMES: SubscriberTimes = { checkMs: 4_000, maxUncheckedMs: 10_000 };
const LIMIT_RETRY_SECONDS = 5;

interface SubscribeCall {
  readonly runId: string;
  readonly principal: Principal;
  readonly afterSeq: number;
  /** Aborted when the reader disconnects. */
  readonly signal: AbortSignal;
}

export interface Subscribers {
  /**
   * Counts one more subscription of the user and returns the function that releases it, to be called once the subscription
   * exists or has failed. Throws RATE_LIMITED when the user has reached the limit.
   */
  reserve(principal: Principal): () => void;
  /** Subscribes the user who has just started the run. Must be called before the run is handed over. */
  begin(call: SubscribeCall, viewer: Viewer, isHere: boolean): Subscriber;
  /** Subscribes to a run by its id. Rejects with RUN_NOT_FOUND when the user may not see it. */
  attach(call: SubscribeCall): Promise<Subscriber>;
  close(): void;
}

interface Entry {
  readonly subscriber: Subscriber;
  readonly input: SubscriberInput;
  checkedAtMs: number;
}

/** The subscribers of this node. One statement checks the permissions of all of them every few seconds. */
export function openSubscribers(
  pool: pg.Pool,
  streamHub: StreamHub,
  maxPerUser = Number.POSITIVE_INFINITY,
  times: SubscriberTimes = TIMES,
): Subscribers {
  const reader = createEventReader(pool);
  const entries = new Map<number, Entry>();
  const countByUser = new Map<string, number>();
  const count = (userId: string | null, change: number): void => {
    if (userId === null) return;
    const left = (countByUser.get(userId) ?? 0) + change;
    if (left > 0) countByUser.set(userId, left);
    else countByUser.delete(userId);
  };
  let lastNumber = 0;
  let timer: NodeJS.Timeout | null = null;
  let isClosed = false;

  const checkAll = async (): Promise<void> => {
    const checked = [...entries.values()];
    const inputs = checked.map(({ input }) => input);
    const states = await checkSubscribers(pool, inputs).catch(() => null);
    const nowMs = performance.now();
    const byNumber = new Map(states?.map((state) => [state.subscriber, state]));
    for (const entry of checked) {
      const state = byNumber.get(entry.input.subscriber);
      if (state !== undefined) {
        entry.checkedAtMs = nowMs;
        entry.subscriber.update(toViewer(entry.input, state), state.status);
      } else if (states !== null) entry.subscriber.close("forbidden");
      else if (nowMs - entry.checkedAtMs > times.maxUncheckedMs) entry.subscriber.close("unreachable");
    }
  };
  const schedule = (): void => {
    if (timer !== null || entries.size === 0 || isClosed) return;
    timer = setTimeout(() => {
      void checkAll().finally(() => {
        timer = null;
        schedule();
      });
    }, times.checkMs);
  };

  const textPauseMs = (): number => batchPauseMs(entries.size);
  const add = (
    call: SubscribeCall,
    input: SubscriberInput,
    start: Pick<SubscriberOptions, "viewer" | "isFresh">,
  ): Subscriber => {
    const { runId, afterSeq, signal } = call;
    const subscriber = new Subscriber({ runId, afterSeq, ...start, streamHub, reader, textPauseMs });
    entries.set(input.subscriber, { subscriber, input, checkedAtMs: performance.now() });
    count(input.user_id, 1);
    const leave = (): void => subscriber.close("left");
    signal.addEventListener("abort", leave, { once: true });
    subscriber.onClose(() => {
      entries.delete(input.subscriber);
      count(input.user_id, -1);
      signal.removeEventListener("abort", leave);
    });
    if (signal.aborted) subscriber.close("left");
    else if (isClosed) subscriber.close("stopping");
    schedule();
    return subscriber;
  };
  const toInput = ({ runId, principal }: SubscribeCall): SubscriberInput => {
    const { role, userId, session } = principal;
    if (userId === null && role !== "service_role") throw new Error("only the service role subscribes without a user");
    lastNumber += 1;
    return {
      subscriber: lastNumber,
      run_id: runId,
      user_id: role === "service_role" ? null : userId,
      session_id: session?.sessionId ?? null,
      inactivity_seconds: session?.inactivitySeconds ?? 0,
    };
  };

  return {
    begin: (call, viewer, isHere) => add(call, toInput(call), { viewer, isFresh: isHere }),
    reserve({ role, userId }) {
      if (role === "service_role" || userId === null) return () => {};
      if ((countByUser.get(userId) ?? 0) >= maxPerUser)
        throw new AppError("RATE_LIMITED", "You have reached the maximum number of concurrent streams", {
          retryAfterSeconds: LIMIT_RETRY_SECONDS,
        });
      let isHeld = true;
      count(userId, 1);
      return () => {
        if (isHeld) count(userId, -1);
        isHeld = false;
      };
    },
    async attach(call) {
      const input = toInput(call);
      const [state] = await checkSubscribers(pool, [input]);
      if (state === undefined) throw createRejection("RUN_NOT_FOUND");
      const viewer = toViewer(input, state);
      const subscriber = add(call, input, { viewer, isFresh: false });
      subscriber.update(viewer, state.status);
      return subscriber;
    },
    close() {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      for (const { subscriber } of entries.values()) subscriber.close("stopping");
    },
  };
}

function toViewer(
  { user_id: userId }: SubscriberInput,
  { is_manager: isManager, agent_ids: ownAgentIds }: SubscriberState,
): Viewer {
  return { userId, isManager, ownAgentIds };
}
