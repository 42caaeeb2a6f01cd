import type { Run } from "../function-types/run-answers.ts";
import { isFinalRunStatus } from "../runs.ts";
import { openConnection } from "./connection.ts";
import { ConnectionError, type FunctionError, isFunctionError } from "./function-error.ts";
import type { FunctionsClient } from "./functions-client.ts";
import { invokeFunction } from "./invoke-function.ts";
import type { RunStreamEvent } from "./run-stream-event.ts";
import { sleep } from "./sleep.ts";

export interface ReconnectOptions {
  /** Attempts after which the stream fails with a `ConnectionError`; each event starts the count anew. Default: 10. */
  readonly attempts?: number;
  /** Attempts of the call that starts the run. Default: `attempts`. */
  readonly startAttempts?: number;
  /** The pause before the first attempt. It doubles with each further one. Default: 500. */
  readonly initialDelayMs?: number;
  /** Default: 10,000. */
  readonly maxDelayMs?: number;
  /** A connection without a byte for so long is given up. The service sends something every 10 seconds. Default: 30,000. */
  readonly maxSilenceMs?: number;
}

export interface StreamOptions {
  /** Ends the stream: the loop over it throws the reason. The run continues unless it was started with `on_disconnect: "cancel"`. */
  readonly signal?: AbortSignal | undefined;
  readonly reconnect?: ReconnectOptions;
  /** Called when the connection is established, and when it is lost. */
  readonly onConnectionChange?: (isConnected: boolean) => void;
}

/** The call that opens the stream, and the run that it belongs to. */
interface StreamStart {
  /** Null until the service has started the run. */
  readonly runId: string | null;
  readonly lastEventId: number;
  /** The call that starts the run. It can be repeated: the service recognises it and attaches to the same run. */
  readonly start: { readonly body: Record<string, unknown>; readonly headers: Record<string, string> } | null;
  /** Members of the calls that attach to the run. */
  readonly attach: Record<string, unknown>;
  /** Called with each event before the loop gets it. */
  onEvent?(event: RunStreamEvent): void;
}

/** How an attempt to read ended. */
type Outcome = "events" | "empty" | Error;

/**
 * The events of a run. A connection that is lost is established again, and the stream continues after the last event: none is
 * missing, and none comes twice. Leaving the loop closes the connection; another loop over the same stream continues it.
 */
export class RunStream implements AsyncIterable<RunStreamEvent> {
  readonly #client: FunctionsClient;
  readonly #start: StreamStart;
  readonly #options: StreamOptions;
  #runId: string | null;
  #lastEventId: number;
  #run: Run | null = null;
  #isDone = false;
  #isBeingRead = false;
  /** The service says that the run has ended, so a stream without further events is complete. */
  #isOver = false;

  constructor(client: FunctionsClient, start: StreamStart, options: StreamOptions) {
    this.#client = client;
    this.#start = start;
    this.#options = options;
    this.#runId = start.runId;
    this.#lastEventId = start.lastEventId;
  }

  /** Null until the service has started the run. */
  get runId(): string | null {
    return this.#runId;
  }

  get lastEventId(): number {
    return this.#lastEventId;
  }

  /** Reads the rest of the stream and returns the run as it ended. */
  async result(): Promise<Run> {
    for await (const _ of this);
    this.#run ??= await this.#readRun();
    return this.#run;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunStreamEvent, void, undefined> {
    if (this.#isBeingRead) throw new TypeError("Another loop reads this stream");
    this.#isBeingRead = true;
    const { signal, reconnect = {}, onConnectionChange } = this.#options;
    const { attempts = 10, startAttempts = attempts, initialDelayMs = 500, maxDelayMs = 10_000 } = reconnect;
    try {
      for (let failures = 0; !this.#isDone; ) {
        const lastEventId = this.#lastEventId;
        const outcome: { value: Outcome } = { value: "empty" };
        yield* this.#readConnection(outcome);
        if (this.#isDone) return;
        signal?.throwIfAborted();
        onConnectionChange?.(false);
        const error = outcome.value === "empty" ? await this.#checkEnd() : outcome.value;
        if (this.#isDone) return;
        if (isFunctionError(error) && !this.#canRetry(error)) throw error;
        failures = this.#lastEventId > lastEventId ? 1 : failures + 1;
        if (failures > (this.#runId === null ? startAttempts : attempts)) throw this.#giveUp(error);
        const delayMs = Math.min(maxDelayMs, initialDelayMs * 2 ** (failures - 1));
        const requestedMs = isFunctionError(error) ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
        await sleep(Math.max(requestedMs, delayMs * (0.5 + Math.random() / 2)), signal);
      }
    } finally {
      this.#isBeingRead = false;
    }
  }

  /** Yields what one connection delivers, and says how it ended. */
  async *#readConnection(outcome: { value: Outcome }): AsyncGenerator<RunStreamEvent, void, undefined> {
    const { signal, reconnect: { maxSilenceMs = 30_000 } = {}, onConnectionChange } = this.#options;
    const onOpen = (runId: string | null): void => {
      this.#runId ??= runId;
      onConnectionChange?.(true);
    };
    try {
      for await (const event of openConnection(this.#client, this.#nextCall(), { signal, maxSilenceMs, onOpen })) {
        if (event.id !== null && event.id <= this.#lastEventId) continue;
        outcome.value = "events";
        this.#note(event);
        this.#start.onEvent?.(event);
        yield event;
        if (this.#isDone) return;
      }
    } catch (error) {
      outcome.value = error instanceof Error ? error : new Error(String(error));
    }
  }

  #nextCall(): { body: Record<string, unknown>; headers: Record<string, string> } {
    const { start, attach } = this.#start;
    if (this.#runId === null && start !== null) return start;
    const position = { run_id: this.#runId, last_event_id: this.#lastEventId };
    return { body: { ...attach, action: "attach", ...position }, headers: {} };
  }

  #note(event: RunStreamEvent): void {
    this.#lastEventId = event.id ?? this.#lastEventId;
    if ("run_id" in event.data) this.#runId ??= event.data.run_id;
    switch (event.type) {
      case "run.completed":
      case "run.partial":
      case "run.failed":
      case "run.cancelled": {
        const { seq: _, ...run } = event.data;
        this.#run = run;
        break;
      }
      case "done":
        this.#isDone = true;
        break;
      default:
    }
  }

  /** A stream without events is that of a run that has ended, or of a node that stops. */
  async #checkEnd(): Promise<Outcome> {
    if (this.#isOver) {
      this.#isDone = true;
      return "empty";
    }
    if (this.#runId === null) return "empty";
    try {
      const run = await this.#readRun();
      this.#isOver = isFinalRunStatus(run.status);
      return "empty";
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  #readRun(): Promise<Run> {
    const { signal } = this.#options;
    const body = { ...this.#start.attach, action: "attach" as const, run_id: this.#runId ?? "" };
    return invokeFunction(this.#client, "agent-respond", body, { signal });
  }

  /** Until the run is known, the caller decides what to do about an error. Later the service may be busy or restarting. */
  #canRetry({ status }: FunctionError): boolean {
    return this.#runId !== null && (status === 408 || status === 429 || status >= 500);
  }

  #giveUp(last: Outcome): Error {
    // Nothing was lost: the service could not be reached.
    if (this.#runId === null && last instanceof Error) return last;
    const cause = typeof last === "string" ? undefined : last;
    const position = { runId: this.#runId, lastEventId: this.#lastEventId };
    return new ConnectionError("The connection was lost and could not be established again", { cause, ...position });
  }
}
