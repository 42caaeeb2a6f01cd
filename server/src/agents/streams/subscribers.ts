import type pg from "pg";
import type { Principal } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import type { StreamHub } from "./stream-hub.ts";
import { createEventReader } from "./event-reader.ts";
import { Subscriber } from "./subscriber.ts";
import { createRejection } from "../respond/rejections.ts";
import type { Viewer } from "./viewer.ts";
import { type SubscriberInput, checkSubscribers, type Verdict } from "./sql/check-subscribers.ts";

export interface SubscriberTimes {
  /** How often it is asked whether readers may go on. */
  readonly judgeMs: number;
  /** How long they go on without an answer. */
  readonly unjudgedMs: number;
}

/** Well within the ten seconds after which nobody who was put out may still hear anything. */
const TIMES: SubscriberTimes = { judgeMs: 4_000, unjudgedMs: 10_000 };
/** Each write costs the same, whatever it holds: where many follow, each gets more at a time. */
const UNHURRIED_FOLLOWERS = 50;
const REST_MS_PER_FOLLOWER = 0.4;
const LONGEST_REST_MS = 200;
const ROOM_RETRY_SECONDS = 5;

interface FollowCall {
  readonly runId: string;
  readonly caller: Principal;
  readonly afterSeq: number;
  /** When it is aborted, the reader has left. */
  readonly signal: AbortSignal;
}

export interface Subscribers {
  /**
   * Keeps a place for one more run of the caller, and answers with what gives it back, to be called once the run is followed or
   * is not going to be. Throws where the caller follows as many runs here as anybody may.
   */
  reserve(caller: Principal): () => void;
  /** Subscribes the caller that has just started the run. Must be called before the run is handed over. */
  begin(call: FollowCall, viewer: Viewer, isHere: boolean): Subscriber;
  /** Subscribes to a run by its id. Rejects with RUN_NOT_FOUND when the caller may not see it. */
  attach(call: FollowCall): Promise<Subscriber>;
  close(): void;
}

interface Kept {
  readonly follower: Subscriber;
  readonly facts: SubscriberInput;
  judgedAtMs: number;
}

/** All who follow a run on this node. Each is judged again every few seconds, all of them by one statement. */
export function openSubscribers(
  pool: pg.Pool,
  hub: StreamHub,
  mostPerUser = Number.POSITIVE_INFINITY,
  times: SubscriberTimes = TIMES,
): Subscribers {
  const reader = createEventReader(pool);
  const kept = new Map<number, Kept>();
  const countByUser = new Map<string, number>();
  const count = (userId: string | null, change: number): void => {
    if (userId === null) return;
    const left = (countByUser.get(userId) ?? 0) + change;
    if (left > 0) countByUser.set(userId, left);
    else countByUser.delete(userId);
  };
  /** The service role has no limit, as elsewhere. */
  const reserve = ({ role, userId }: Principal): (() => void) => {
    if (role === "service_role" || userId === null) return () => {};
    if ((countByUser.get(userId) ?? 0) >= mostPerUser)
      throw new AppError("RATE_LIMITED", "You follow as many runs as you may at a time", {
        retryAfterSeconds: ROOM_RETRY_SECONDS,
      });
    let isHeld = true;
    count(userId, 1);
    return () => {
      if (isHeld) count(userId, -1);
      isHeld = false;
    };
  };
  let lastNumber = 0;
  let timer: NodeJS.Timeout | null = null;
  let isClosed = false;

  const judgeAll = async (): Promise<void> => {
    const asked = [...kept.values()];
    const verdicts = await checkSubscribers(
      pool,
      asked.map(({ facts }) => facts),
    ).catch(() => null);
    const nowMs = performance.now();
    const byNumber = new Map(verdicts?.map((verdict) => [verdict.subscriber, verdict]));
    for (const one of asked) {
      const verdict = byNumber.get(one.facts.subscriber);
      if (verdict !== undefined) {
        one.judgedAtMs = nowMs;
        one.follower.learn(toViewer(verdict), verdict.status);
      } else if (verdicts !== null) one.follower.close("forbidden");
      else if (nowMs - one.judgedAtMs > times.unjudgedMs) one.follower.close("unreachable");
    }
  };
  const schedule = (): void => {
    if (timer !== null || kept.size === 0 || isClosed) return;
    timer = setTimeout(() => {
      void judgeAll().finally(() => {
        timer = null;
        schedule();
      });
    }, times.judgeMs);
  };

  const restMs = (): number =>
    kept.size <= UNHURRIED_FOLLOWERS ? 0 : Math.min(LONGEST_REST_MS, kept.size * REST_MS_PER_FOLLOWER);
  const keep = (call: FollowCall, facts: SubscriberInput, viewer: Viewer, isFresh: boolean): Subscriber => {
    const { runId, afterSeq, signal } = call;
    const follower = new Subscriber({ runId, afterSeq, viewer, isFresh, hub, reader, restMs });
    kept.set(facts.subscriber, { follower, facts, judgedAtMs: performance.now() });
    count(facts.user_id, 1);
    const leave = (): void => follower.close("left");
    signal.addEventListener("abort", leave, { once: true });
    follower.onClose(() => {
      kept.delete(facts.subscriber);
      count(facts.user_id, -1);
      signal.removeEventListener("abort", leave);
    });
    if (signal.aborted) follower.close("left");
    else if (isClosed) follower.close("stopping");
    schedule();
    return follower;
  };
  const describe = ({ runId, caller }: FollowCall): SubscriberInput => {
    if (caller.userId === null && caller.role !== "service_role")
      throw new Error("only the service role follows as nobody");
    lastNumber += 1;
    return {
      subscriber: lastNumber,
      run_id: runId,
      user_id: caller.role === "service_role" ? null : caller.userId,
      session_id: caller.session?.sessionId ?? null,
      inactivity_seconds: caller.session?.inactivitySeconds ?? 0,
    };
  };

  return {
    begin: (call, viewer, isHere) => keep(call, describe(call), viewer, isHere),
    reserve,
    async attach(call) {
      const facts = describe(call);
      const [verdict] = await checkSubscribers(pool, [facts]);
      if (verdict === undefined) throw createRejection("RUN_NOT_FOUND");
      const follower = keep(call, facts, toViewer(verdict), false);
      follower.learn(toViewer(verdict), verdict.status);
      return follower;
    },
    close() {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      for (const { follower } of kept.values()) follower.close("stopping");
    },
  };
}

function toViewer({ is_manager: isManager, agent_ids: ownAgentIds }: Verdict): Viewer {
  return { isManager, ownAgentIds };
}
