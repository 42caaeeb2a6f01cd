import type pg from "pg";
import type { Principal } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import { batchPauseMs } from "../providers/stream-pace.ts";
import type { StreamHub } from "./stream-hub.ts";
import { createEventReader, type EventReader } from "./event-reader.ts";
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

interface Entry {
  readonly subscriber: Subscriber;
  readonly input: SubscriberInput;
  checkedAtMs: number;
}

/** The subscribers of this node. One statement checks the permissions of all of them every few seconds. */
export class Subscribers {
  readonly #pool: pg.Pool;
  readonly #streamHub: StreamHub;
  readonly #maxPerUser: number;
  readonly #times: SubscriberTimes;
  readonly #reader: EventReader;
  readonly #entries = new Map<number, Entry>();
  readonly #countByUser = new Map<string, number>();
  readonly #textPauseMs = (): number => batchPauseMs(this.#entries.size);
  #lastNumber = 0;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(pool: pg.Pool, streamHub: StreamHub, maxPerUser = Number.POSITIVE_INFINITY, times = TIMES) {
    this.#pool = pool;
    this.#streamHub = streamHub;
    this.#maxPerUser = maxPerUser;
    this.#times = times;
    this.#reader = createEventReader(pool);
  }

  /**
   * Counts one more subscription of the user and returns the function that releases it, to be called once the subscription
   * exists or has failed. Throws RATE_LIMITED when the user has reached the limit.
   */
  reserve({ role, userId }: Principal): () => void {
    if (role === "service_role" || userId === null) return () => {};
    if ((this.#countByUser.get(userId) ?? 0) >= this.#maxPerUser)
      throw new AppError("RATE_LIMITED", "You have reached the maximum number of concurrent streams", {
        retryAfterSeconds: LIMIT_RETRY_SECONDS,
      });
    let isHeld = true;
    this.#count(userId, 1);
    return () => {
      if (isHeld) this.#count(userId, -1);
      isHeld = false;
    };
  }

  /** Subscribes the user who has just started the run. Must be called before the run is handed over. */
  begin(call: SubscribeCall, viewer: Viewer, isHere: boolean): Subscriber {
    return this.#add(call, this.#toInput(call), { viewer, isFresh: isHere });
  }

  /** Subscribes to a run by its id. Rejects with RUN_NOT_FOUND when the user may not see it. */
  async attach(call: SubscribeCall): Promise<Subscriber> {
    const input = this.#toInput(call);
    const [state] = await checkSubscribers(this.#pool, [input]);
    if (state === undefined) throw createRejection("RUN_NOT_FOUND");
    const viewer = toViewer(input, state);
    const subscriber = this.#add(call, input, { viewer, isFresh: false });
    subscriber.update(viewer, state.status);
    return subscriber;
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const { subscriber } of this.#entries.values()) subscriber.close("stopping");
  }

  #toInput({ runId, principal }: SubscribeCall): SubscriberInput {
    const { role, userId, session } = principal;
    if (userId === null && role !== "service_role") throw new Error("only the service role subscribes without a user");
    this.#lastNumber += 1;
    return {
      subscriber: this.#lastNumber,
      run_id: runId,
      user_id: role === "service_role" ? null : userId,
      session_id: session?.sessionId ?? null,
      inactivity_seconds: session?.inactivitySeconds ?? 0,
    };
  }

  #add(
    { runId, afterSeq, signal }: SubscribeCall,
    input: SubscriberInput,
    start: Pick<SubscriberOptions, "viewer" | "isFresh">,
  ): Subscriber {
    const [streamHub, reader, textPauseMs] = [this.#streamHub, this.#reader, this.#textPauseMs];
    const subscriber = new Subscriber({ runId, afterSeq, ...start, streamHub, reader, textPauseMs });
    this.#entries.set(input.subscriber, { subscriber, input, checkedAtMs: performance.now() });
    this.#count(input.user_id, 1);
    const leave = (): void => subscriber.close("left");
    signal.addEventListener("abort", leave, { once: true });
    subscriber.onClose(() => {
      this.#entries.delete(input.subscriber);
      this.#count(input.user_id, -1);
      signal.removeEventListener("abort", leave);
    });
    if (signal.aborted) subscriber.close("left");
    else if (this.#isClosed) subscriber.close("stopping");
    this.#schedule();
    return subscriber;
  }

  #count(userId: string | null, change: number): void {
    if (userId === null) return;
    const left = (this.#countByUser.get(userId) ?? 0) + change;
    if (left > 0) this.#countByUser.set(userId, left);
    else this.#countByUser.delete(userId);
  }

  #schedule(): void {
    if (this.#timer !== null || this.#entries.size === 0 || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      void this.#checkAll().finally(() => {
        this.#timer = null;
        this.#schedule();
      });
    }, this.#times.checkMs);
  }

  async #checkAll(): Promise<void> {
    const checked = [...this.#entries.values()];
    const inputs = checked.map(({ input }) => input);
    const states = await checkSubscribers(this.#pool, inputs).catch(() => null);
    const nowMs = performance.now();
    const byNumber = new Map(states?.map((state) => [state.subscriber, state]));
    for (const entry of checked) {
      const state = byNumber.get(entry.input.subscriber);
      if (state !== undefined) {
        entry.checkedAtMs = nowMs;
        entry.subscriber.update(toViewer(entry.input, state), state.status);
      } else if (states !== null) entry.subscriber.close("forbidden");
      else if (nowMs - entry.checkedAtMs > this.#times.maxUncheckedMs) entry.subscriber.close("unreachable");
    }
  }
}

function toViewer(
  { user_id: userId }: SubscriberInput,
  { is_manager: isManager, agent_ids: ownAgentIds }: SubscriberState,
): Viewer {
  return { userId, isManager, ownAgentIds };
}
