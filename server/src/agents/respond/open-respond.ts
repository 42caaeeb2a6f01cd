import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { databaseAway, type Principal } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import type { Models } from "../providers/model-port.ts";
import type { Executor } from "../execution/executor.ts";
import type { RunEvent, StreamHub } from "../streams/stream-hub.ts";
import { openAdmissions } from "../admission/admissions.ts";
import type { Subscriber } from "../streams/subscriber.ts";
import { type SubscriberTimes, openSubscribers } from "../streams/subscribers.ts";
import { createRejection } from "./rejections.ts";
import { streamHeaders } from "../streams/render-frame.ts";
import type { RespondPorts } from "../admission/admission-ports.ts";
import { answerWith, type BodyAnswer, type RunBody, runHeaders } from "./run-body.ts";
import { cancelRun, type Decision, decideToolExecutions, requestCancel, selectRunBody } from "./sql/run-control.ts";
import { type RunRequest, startRun } from "../admission/start-run.ts";
import { streamRun } from "../streams/stream-run.ts";
import { waitForRun } from "../streams/wait-for-run.ts";

interface StreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly stream: AsyncIterable<string>;
}

export type RunAnswer = BodyAnswer | StreamAnswer;

/** How a caller wants to read a run. */
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
  newId(): string;
  /** How many runs are in progress here. */
  countRuns(): number;
  readonly subscriberTimes?: SubscriberTimes;
  onEvents(): void;
}

/** A cancelled run usually ends at once; the caller does not wait longer for one that does not. */
const CANCEL_WAIT_MS = 2_000;
/** Long enough for a node that polls once a second. */
const RESUME_WAIT_MS = 2_000;
const RESUME_POLL_MS = 50;

export function openRespond(options: RespondOptions): Respond {
  const { pool, hub, executor } = options;
  const subscribers = openSubscribers(pool, hub, options.streamLimitPerUser, options.subscriberTimes);
  const { owner, leaseMs } = executor;
  const { queueLimit, countRuns } = options;
  const admissions = openAdmissions({ pool, owner, leaseMs, queueLimit, countRuns });
  const ports: RespondPorts = { ...options, subscribers, admissions };

  const answer = async (subscriber: Subscriber, listening: Answering): Promise<RunAnswer> => {
    const { runId } = subscriber;
    const { caller, isStreamed, isReasoningWanted, first, isReplay, queueWaitMs, onLeft } = listening;
    const isStartedHere = first.some(({ type }) => type === "run.started");
    const headers = runHeaders(runId, isReplay);
    const readBody = (): Promise<RunBody | null> => selectRunBody(pool, runId, caller);
    if (isStreamed) {
      const stream = streamRun(subscriber, { first, isReasoningWanted, readBody, onLeft });
      return { status: 200, headers: streamHeaders(headers), stream };
    }
    const body = await waitForRun(subscriber, { first, isStartedHere, queueWaitMs, readBody, onLeft });
    if (body === "gone") throw createRejection("RUN_NOT_FOUND");
    if (body === "unreachable") throw databaseAway({ headers });
    return answerWith(body, headers);
  };

  /** Counts the caller's stream while it is being opened, so that concurrent calls cannot exceed the limit. */
  const withStreamLimit = async <T>(caller: Principal | null, follow: () => Promise<T>): Promise<T> => {
    const release = caller === null ? () => {} : subscribers.reserve(caller);
    try {
      return await follow();
    } finally {
      release();
    }
  };

  return {
    async start(caller, request, start) {
      const { signal, afterSeq, isStreamed, isBackground, isReasoningWanted } = start;
      const { subscriber, first, isReplay } = await withStreamLimit(isBackground ? null : caller, () =>
        startRun(ports, caller, request, { signal, afterSeq }),
      );
      const { runId } = subscriber;
      if (isBackground) {
        subscriber.close();
        return { status: 202, headers: runHeaders(runId, isReplay), body: await getRunBody(pool, runId, caller) };
      }
      const onLeft = async (): Promise<void> => {
        if (!start.isCancelledOnLeave) return;
        await requestCancel(pool, runId, "disconnected");
        executor.cancel(runId);
      };
      const { queueWaitMs } = options;
      return answer(subscriber, { caller, isStreamed, isReasoningWanted, first, isReplay, queueWaitMs, onLeft });
    },
    async attach(caller, runId, { signal, afterSeq, isStreamed, isReasoningWanted }) {
      const subscriber = await withStreamLimit(caller, () => subscribers.attach({ runId, caller, afterSeq, signal }));
      const { queueWaitMs } = options;
      return answer(subscriber, { ...NOT_STARTED_HERE, caller, isStreamed, isReasoningWanted, queueWaitMs });
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
    close: () => subscribers.close(),
  };

  async function waitForEnd(caller: Principal, runId: string, signal: AbortSignal): Promise<RunBody> {
    const waited = AbortSignal.any([signal, AbortSignal.timeout(CANCEL_WAIT_MS)]);
    const subscriber = await subscribers.attach({ runId, caller, afterSeq: 0, signal: waited });
    const readBody = (): Promise<RunBody | null> => selectRunBody(pool, runId, caller);
    const body = await waitForRun(subscriber, {
      first: [],
      isStartedHere: false,
      queueWaitMs: CANCEL_WAIT_MS,
      readBody,
      onLeft: async () => {},
    });
    return typeof body === "string" ? await getRunBody(pool, runId, caller) : body;
  }

  /** A run whose last call is decided continues at once, unless another run of its swarm is running. */
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
