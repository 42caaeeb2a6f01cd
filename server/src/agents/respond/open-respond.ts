import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { databaseAway, type Principal } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import type { Models } from "../providers/model-port.ts";
import type { Executor } from "../runs/executor.ts";
import type { RunEvent, StreamHub } from "../runs/stream-hub.ts";
import { type Crowd, openAdmissions } from "./admissions.ts";
import type { Subscriber } from "./subscriber.ts";
import { type FollowTimes, openSubscribers } from "./subscribers.ts";
import { refusal } from "./refusals.ts";
import { streamHeaders } from "./render-frame.ts";
import type { RespondTools } from "./respond-tools.ts";
import { answerWith, type BodyAnswer, type RunBody, runHeaders } from "./run-body.ts";
import { cancelRun, type Decision, decideToolExecutions, requestCancel, selectRunBody } from "./sql/run-control.ts";
import { type RunRequest, startRun } from "./start-run.ts";
import { streamRun } from "./stream-run.ts";
import { waitForRun } from "./wait-for-run.ts";

interface StreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly stream: AsyncIterable<string>;
}

export type RunAnswer = BodyAnswer | StreamAnswer;

/** How somebody wants to hear of a run. */
export interface Listening {
  readonly isStreamed: boolean;
  readonly isReasoningWanted: boolean;
  /** The last event that the reader has seen; 0 for none. */
  readonly afterSeq: number;
  /** Aborted when the reader has left. */
  readonly signal: AbortSignal;
}

export interface StartOptions extends Listening {
  readonly isBackground: boolean;
  readonly isCancelledOnLeave: boolean;
}

export interface Respond {
  start(
    caller: Principal & { readonly userId: string },
    request: RunRequest,
    options: StartOptions,
  ): Promise<RunAnswer>;
  attach(caller: Principal, runId: string, listening: Listening): Promise<RunAnswer>;
  cancel(caller: Principal, runId: string, signal: AbortSignal): Promise<RunAnswer>;
  decide(
    caller: Principal & { readonly userId: string },
    runId: string,
    decisions: readonly Decision[],
  ): Promise<RunAnswer>;
  /** Ends all streams and waits; their readers can attach elsewhere. */
  close(): void;
}

export interface RespondOptions {
  readonly pool: pg.Pool;
  readonly hub: StreamHub;
  readonly executor: Executor;
  readonly models: Pick<Models, "describe">;
  readonly queueLimit: number;
  readonly queueWaitMs: number;
  /** Most runs that one user follows here at a time; absent: any number. */
  readonly streamLimitPerUser?: number;
  /** Where many calls are to be expected; without it each is admitted by itself. */
  readonly crowd?: Crowd;
  readonly followTimes?: FollowTimes;
  onEvents(): void;
}

/** A cancelled run should be gone at once; who asks for it is not kept waiting for one that is not. */
const CANCEL_WAIT_MS = 2_000;
/** Long enough for a node that looks for runs once a second. */
const RESUME_WAIT_MS = 2_000;
const RESUME_POLL_MS = 50;

export function openRespond(options: RespondOptions): Respond {
  const { pool, hub, executor } = options;
  const following = openSubscribers(pool, hub, options.streamLimitPerUser, options.followTimes);
  const desk = openAdmissions({ pool, executor, models: options.models, crowd: options.crowd ?? null });
  const tools: RespondTools = { ...options, following, desk };

  const answer = async (follower: Subscriber, listening: Answering): Promise<RunAnswer> => {
    const { runId } = follower;
    const { caller, isStreamed, isReasoningWanted, first, isReplay, queueWaitMs, onLeft } = listening;
    const isStartedHere = first.some(({ type }) => type === "run.started");
    const headers = runHeaders(runId, isReplay);
    const readBody = (): Promise<RunBody | null> => selectRunBody(pool, runId, caller);
    if (isStreamed) {
      const stream = streamRun(follower, { first, isReasoningWanted, readBody, onLeft });
      return { status: 200, headers: streamHeaders(headers), stream };
    }
    const body = await waitForRun(follower, { first, isStartedHere, queueWaitMs, readBody, onLeft });
    if (body === "gone") throw refusal("RUN_NOT_FOUND");
    if (body === "unreachable") throw databaseAway({ headers });
    return answerWith(body, headers);
  };

  /** Whoever comes while others are being let in finds their places taken. */
  const inRoom = async <T>(caller: Principal | null, follow: () => Promise<T>): Promise<T> => {
    const giveBack = caller === null ? () => {} : following.reserve(caller);
    try {
      return await follow();
    } finally {
      giveBack();
    }
  };

  return {
    async start(caller, request, start) {
      const { signal, afterSeq, isStreamed, isBackground, isReasoningWanted } = start;
      const { follower, first, isReplay } = await inRoom(isBackground ? null : caller, () =>
        startRun(tools, caller, request, { signal, afterSeq }),
      );
      const { runId } = follower;
      if (isBackground) {
        follower.close();
        return { status: 202, headers: runHeaders(runId, isReplay), body: await getRunBody(pool, runId, caller) };
      }
      const onLeft = async (): Promise<void> => {
        if (!start.isCancelledOnLeave) return;
        await requestCancel(pool, runId, "disconnected");
        executor.cancel(runId);
      };
      const { queueWaitMs } = options;
      return answer(follower, { caller, isStreamed, isReasoningWanted, first, isReplay, queueWaitMs, onLeft });
    },
    async attach(caller, runId, { signal, afterSeq, isStreamed, isReasoningWanted }) {
      const follower = await inRoom(caller, () => following.attach({ runId, caller, afterSeq, signal }));
      const { queueWaitMs } = options;
      return answer(follower, { ...NOT_STARTED_HERE, caller, isStreamed, isReasoningWanted, queueWaitMs });
    },
    async cancel(caller, runId, signal) {
      const cancelled = await cancelRun(pool, runId, caller);
      executor.cancel(runId);
      executor.wake();
      options.onEvents();
      const body = cancelled.status === "running" ? await waitForEnd(caller, runId, signal) : cancelled;
      return { status: body.status === "running" ? 202 : 200, headers: runHeaders(runId, false), body };
    },
    async decide(caller, runId, decisions) {
      const decided = await decideToolExecutions(pool, runId, caller, decisions);
      executor.wake();
      options.onEvents();
      const body = await waitForResumption(caller, decided);
      return { status: 200, headers: runHeaders(runId, false), body };
    },
    close: () => following.close(),
  };

  async function waitForEnd(caller: Principal, runId: string, signal: AbortSignal): Promise<RunBody> {
    const waited = AbortSignal.any([signal, AbortSignal.timeout(CANCEL_WAIT_MS)]);
    const follower = await following.attach({ runId, caller, afterSeq: 0, signal: waited });
    const readBody = (): Promise<RunBody | null> => selectRunBody(pool, runId, caller);
    const body = await waitForRun(follower, {
      first: [],
      isStartedHere: false,
      queueWaitMs: CANCEL_WAIT_MS,
      readBody,
      onLeft: async () => {},
    });
    return typeof body === "string" ? await getRunBody(pool, runId, caller) : body;
  }

  /** A run whose last call is decided goes on at once, unless another one of its swarm works. */
  async function waitForResumption(caller: Principal, decided: RunBody): Promise<RunBody> {
    const deadlineMs = performance.now() + RESUME_WAIT_MS;
    let body = decided;
    while (waitsForItsTurn(body) && performance.now() < deadlineMs) {
      await sleep(RESUME_POLL_MS);
      // The decisions hold, whatever happens afterwards: the last that is known of the run is the answer then.
      const later = await selectRunBody(pool, body.run_id, caller).catch(() => null);
      if (later === null) break;
      body = later;
    }
    return body;
  }
}

function waitsForItsTurn({ status, pending_approvals: pending }: RunBody): boolean {
  return status === "requires_action" && pending?.length === 0;
}

interface Answering {
  readonly caller: Principal;
  readonly isStreamed: boolean;
  readonly isReasoningWanted: boolean;
  readonly queueWaitMs: number;
  readonly first: readonly RunEvent[];
  readonly isReplay: boolean;
  onLeft(): Promise<void>;
}

const NOT_STARTED_HERE = { first: [], isReplay: false, onLeft: async () => {} } as const;

async function getRunBody(pool: pg.Pool, runId: string, caller: Principal): Promise<RunBody> {
  const body = await selectRunBody(pool, runId, caller);
  if (body === null) throw new AppError("RUN_NOT_FOUND", "The run was deleted");
  return body;
}
