import type pg from "pg";
import { databaseAway, type Principal, type Queryable, type PrincipalForUser } from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import type { Models } from "../providers/open-models.ts";
import type { Executor } from "../execution/create-executor.ts";
import type { RunEvent, StreamHub } from "../streams/stream-hub.ts";
import { openAdmissions } from "../admission/admissions.ts";
import type { Subscriber } from "../streams/subscriber.ts";
import { type SubscriberTimes, Subscribers } from "../streams/subscribers.ts";
import { createRejection } from "../rejections/rejections.ts";
import { answerWith, type BodyAnswer, type RunBody, runHeaders } from "../streams/run-body.ts";
import {
  cancelRun,
  type ToolDecision,
  decideToolExecutions,
  requestCancel,
  requireKeyRun,
  type RunSignal,
  selectRunBody,
  signalRun,
  submitToolResults,
  type ToolResult,
} from "./sql/run-control.ts";
import { type QueuedAnswer, type QueuedRun, queueRun } from "../admission/queue-run.ts";
import type { RunRequest } from "../admission/run-request.ts";
import { type RespondPorts, startRun } from "../admission/start-run.ts";
import type { SchemaCompiler } from "../schemas/schema-compiler.ts";
import { streamHeaders, streamRun } from "../streams/stream-run.ts";
import { waitForResumption, waitForRun } from "../streams/wait-for-run.ts";

interface StreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly stream: AsyncIterable<string>;
}

export type RunAnswer = BodyAnswer | StreamAnswer;

/** How a client reads a run. */
export interface Listening {
  readonly isStreamed: boolean;
  readonly isReasoningWanted: boolean;
  /** The last event that the reader has seen; 0 for none. */
  readonly afterSeq: number;
  /** Aborted when the reader disconnects. */
  readonly signal: AbortSignal;
}

export interface StartOptions extends Listening {
  readonly isBackground: boolean;
  readonly isCancelledOnLeave: boolean;
}

export interface Respond {
  start(principal: PrincipalForUser, request: RunRequest, options: StartOptions): Promise<RunAnswer>;
  /** Stores a message and a queued run in a transaction. Once it is committed, call `announce`. */
  queue(transaction: Queryable, run: QueuedRun): Promise<QueuedAnswer>;
  announce(queued: QueuedAnswer): void;
  attach(principal: Principal, runId: string, listening: Listening): Promise<RunAnswer>;
  cancel(principal: Principal, runId: string, signal: AbortSignal): Promise<RunAnswer>;
  decide(principal: PrincipalForUser, runId: string, decisions: readonly ToolDecision[]): Promise<RunAnswer>;
  /** Stores results of tools that the client executed. */
  submit(principal: PrincipalForUser, runId: string, results: readonly ToolResult[]): Promise<RunAnswer>;
  /** Ends a wait of the run, or is kept for a later one. */
  signal(principal: Principal, runId: string, signal: RunSignal): Promise<RunAnswer>;
  /** Counts one more stream of the user until it is released. Throws when the user has reached the limit of this node. */
  reserveStream(principal: Principal): () => void;
  /** Ends all streams and waits. Their readers can attach to another node. */
  close(): void;
}

interface RespondOptions {
  readonly pool: pg.Pool;
  readonly streamHub: StreamHub;
  readonly executor: Executor;
  readonly models: Pick<Models, "describe">;
  readonly schemas: SchemaCompiler;
  readonly queueLimit: number;
  readonly queueWaitMs: number;
  /** The maximum number of concurrent subscriptions of a user on this node; absent means no limit. */
  readonly streamLimitPerUser?: number;
  newId(): string;
  /** How many runs are in progress on this node. */
  countRuns(): number;
  readonly subscriberTimes?: SubscriberTimes;
  onEvents(): void;
  /** Counts a run that no call starts. Throws when the user has reached the rate limit. */
  chargeStart(userId: string): Promise<void>;
}

/** A cancelled run usually ends at once. The response does not wait longer for one that does not. */
const CANCEL_WAIT_MS = 2_000;

/** How a run that was just started is answered; the defaults are those of any other run. */
interface AnswerInput extends Pick<Listening, "isStreamed" | "isReasoningWanted"> {
  readonly first?: readonly RunEvent[];
  readonly isReplay?: boolean;
  onLeft?(): Promise<void>;
}

export function openRespond(options: RespondOptions): Respond {
  const { pool, streamHub, executor, queueLimit, countRuns } = options;
  const subscribers = new Subscribers(pool, streamHub, options.streamLimitPerUser, options.subscriberTimes);
  const answers = new RunAnswers(options, subscribers);
  const admission = { owner: executor.owner, leaseMs: executor.leaseMs, queueLimit };
  const admissions = openAdmissions({ pool, countRuns, ...admission });
  const cancel: Respond["cancel"] = (principal, runId, signal) => answers.cancel(principal, runId, signal);
  const ports: RespondPorts = { ...options, subscribers, admissions, endRun: cancel };

  return {
    async start(principal, request, start) {
      const { signal, afterSeq, isBackground } = start;
      const { subscriber, first, isReplay } = await withStreamLimit(subscribers, isBackground ? null : principal, () =>
        startRun(ports, principal, request, { signal, afterSeq }),
      );
      const { runId } = subscriber;
      if (isBackground) {
        subscriber.close();
        return { status: 202, headers: runHeaders(runId, isReplay), body: await getRunBody(pool, runId, principal) };
      }
      const onLeft = async (): Promise<void> => {
        if (!start.isCancelledOnLeave) return;
        await requestCancel(pool, runId, "disconnected");
        executor.cancel(runId);
      };
      return answers.answer(subscriber, principal, { ...start, first, isReplay, onLeft });
    },
    queue: (transaction, run) => queueRun({ ...options, admission, charge: options.chargeStart }, transaction, run),
    announce({ hasEvents }) {
      executor.wake();
      if (hasEvents) options.onEvents();
    },
    async attach(principal, runId, listening) {
      const { signal, afterSeq } = listening;
      const call = { runId, principal, afterSeq, signal };
      const subscriber = await withStreamLimit(subscribers, principal, () => subscribers.attach(call));
      return answers.answer(subscriber, principal, listening);
    },
    cancel,
    async decide(principal, runId, decisions) {
      await requireKeyRun(pool, runId, principal);
      return answers.resume(principal, await decideToolExecutions(pool, runId, principal, decisions));
    },
    async submit(principal, runId, results) {
      await requireKeyRun(pool, runId, principal);
      return answers.resume(principal, await submitToolResults(pool, runId, principal, results));
    },
    async signal(principal, runId, signal) {
      await requireKeyRun(pool, runId, principal);
      return answers.resume(principal, await signalRun(pool, runId, principal, signal));
    },
    reserveStream: (principal) => subscribers.reserve(principal),
    close: () => subscribers.close(),
  };
}

/** Counts the stream while it is being opened, so that concurrent requests cannot exceed the limit. */
async function withStreamLimit<T>(
  subscribers: Subscribers,
  principal: Principal | null,
  open: () => Promise<T>,
): Promise<T> {
  const release = principal === null ? () => {} : subscribers.reserve(principal);
  try {
    return await open();
  } finally {
    release();
  }
}

/** Answers a call with the events of its run, or with the run once it has ended or waits. */
class RunAnswers {
  readonly #options: RespondOptions;
  readonly #subscribers: Subscribers;

  constructor(options: RespondOptions, subscribers: Subscribers) {
    this.#options = options;
    this.#subscribers = subscribers;
  }

  async answer(subscriber: Subscriber, principal: Principal, input: AnswerInput): Promise<RunAnswer> {
    const { pool, queueWaitMs } = this.#options;
    const { runId } = subscriber;
    const { isStreamed, isReasoningWanted, first = [], isReplay = false, onLeft = async () => {} } = input;
    const isStartedHere = first.some(({ type }) => type === "run.started");
    const headers = runHeaders(runId, isReplay);
    const readBody = (): Promise<RunBody | null> => selectRunBody(pool, runId, principal);
    if (isStreamed) {
      const stream = streamRun(subscriber, { first, isReasoningWanted, readBody, onLeft });
      return { status: 200, headers: streamHeaders(headers), stream };
    }
    const body = await waitForRun(subscriber, { first, isStartedHere, queueWaitMs, readBody, onLeft });
    if (body === "gone") throw createRejection("RUN_NOT_FOUND");
    if (body === "unreachable") throw databaseAway({ headers });
    return answerWith(body, headers);
  }

  async resume(principal: Principal, decided: RunBody): Promise<RunAnswer> {
    const { pool, executor, onEvents } = this.#options;
    executor.wake();
    onEvents();
    const body = await waitForResumption(decided, () => selectRunBody(pool, decided.run_id, principal));
    return { status: 200, headers: runHeaders(body.run_id, false), body };
  }

  async cancel(principal: Principal, runId: string, signal: AbortSignal): Promise<RunAnswer> {
    const { pool, executor, onEvents } = this.#options;
    await requireKeyRun(pool, runId, principal);
    const cancelled = await cancelRun(pool, runId, principal);
    executor.cancel(runId);
    executor.wake();
    onEvents();
    const body = cancelled.status === "running" ? await this.#waitForEnd(principal, runId, signal) : cancelled;
    return { status: body.status === "running" ? 202 : 200, headers: runHeaders(runId, false), body };
  }

  async #waitForEnd(principal: Principal, runId: string, signal: AbortSignal): Promise<RunBody> {
    const { pool } = this.#options;
    const waited = AbortSignal.any([signal, AbortSignal.timeout(CANCEL_WAIT_MS)]);
    const subscriber = await this.#subscribers.attach({ runId, principal, afterSeq: 0, signal: waited });
    const body = await waitForRun(subscriber, {
      first: [],
      isStartedHere: false,
      queueWaitMs: CANCEL_WAIT_MS,
      readBody: () => selectRunBody(pool, runId, principal),
      onLeft: async () => {},
    });
    return typeof body === "string" ? await getRunBody(pool, runId, principal) : body;
  }
}

async function getRunBody(pool: pg.Pool, runId: string, principal: Principal): Promise<RunBody> {
  const body = await selectRunBody(pool, runId, principal);
  if (body === null) throw new AppError("RUN_NOT_FOUND", "The run was deleted");
  return body;
}
