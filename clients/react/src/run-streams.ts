import {
  type AgentRespondAskBody,
  applyRunEvent,
  attach,
  beginLiveRun,
  type FunctionsClient,
  invokeFunction,
  isFinalRunStatus,
  type LiveRun,
  type Message,
  respond,
  type RunStream,
  type RunStreamEvent,
} from "@swarmbase/sdk";

/** Ended runs that are kept for their tool calls. */
const MAX_ENDED = 20;
/** A message that cannot be sent fails after so many attempts. A stream that has begun is continued until it ends. */
const START_ATTEMPTS = 4;

interface RunStreamsOptions {
  readonly client: FunctionsClient;
  readonly swarmId: string;
  readonly includeReasoning: boolean;
  onChange(): void;
  onMessage(message: Message): void;
}

interface StreamedRun {
  run: LiveRun;
  readonly abort: AbortController;
}

/** The streams of the runs of a swarm, each read once however it became known. */
export class RunStreams {
  readonly #options: RunStreamsOptions;
  readonly #runs = new Map<string, StreamedRun>();
  /** Runs that became known while a call was under way that may have started them. */
  readonly #waiting = new Set<string>();
  readonly #sending = new Set<AbortController>();
  #isClosed = false;

  constructor(options: RunStreamsOptions) {
    this.#options = options;
  }

  list(): readonly LiveRun[] {
    return [...this.#runs.values()].map(({ run }) => run);
  }

  /** Starts a run and returns its id, once the service has accepted the message. */
  async ask(body: Omit<AgentRespondAskBody, "stream" | "background">): Promise<string> {
    const abort = new AbortController();
    this.#sending.add(abort);
    const { client, includeReasoning } = this.#options;
    const stream = respond(
      client,
      { ...body, include_reasoning: includeReasoning },
      { signal: abort.signal, reconnect: { startAttempts: START_ATTEMPTS, attempts: Number.POSITIVE_INFINITY } },
    );
    try {
      return await new Promise<string>((resolve, reject) => {
        this.#read(stream, abort, resolve).catch(reject);
      });
    } finally {
      this.#sending.delete(abort);
      if (this.#sending.size === 0) for (const runId of this.#waiting) this.attach(runId);
    }
  }

  /** Reads a run that was started elsewhere, unless it is being read. */
  attach(runId: string): void {
    if (this.#runs.has(runId) || this.#isClosed) return;
    if (this.#sending.size > 0) {
      this.#waiting.add(runId);
      return;
    }
    this.#waiting.delete(runId);
    const abort = new AbortController();
    this.#begin(runId, abort);
    const { client, includeReasoning } = this.#options;
    const stream = attach(client, runId, {
      include_reasoning: includeReasoning,
      signal: abort.signal,
      reconnect: { attempts: Number.POSITIVE_INFINITY },
    });
    this.#read(stream, abort, () => {}).catch(() => this.#forget(runId, abort));
  }

  /** Without an id, all runs that do not wait for a time or a signal. */
  async cancel(runId?: string): Promise<void> {
    const live = this.list().filter(({ status }) => !isFinalRunStatus(status) && status !== "waiting");
    const ids = runId === undefined ? live.map(({ id }) => id) : [runId];
    const { client } = this.#options;
    await Promise.all(ids.map((id) => invokeFunction(client, "agent-respond", { action: "cancel", run_id: id })));
  }

  close(): void {
    this.#isClosed = true;
    for (const { abort } of this.#runs.values()) abort.abort();
    for (const abort of this.#sending) abort.abort();
  }

  #begin(runId: string, abort: AbortController): void {
    this.#runs.get(runId)?.abort.abort();
    this.#waiting.delete(runId);
    this.#runs.set(runId, { run: beginLiveRun(runId, this.#options.swarmId), abort });
    const ended = [...this.#runs].filter(([, { run }]) => isFinalRunStatus(run.status));
    for (const [id] of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) this.#runs.delete(id);
    this.#options.onChange();
  }

  /** The run was deleted, or the user may no longer see it. */
  #forget(runId: string, abort: AbortController): void {
    if (this.#runs.get(runId)?.abort !== abort) return;
    this.#runs.delete(runId);
    this.#options.onChange();
  }

  /** What only the person who decides may know of a call, such as where to sign in, is in no event. */
  async #complete(event: RunStreamEvent): Promise<RunStreamEvent> {
    if (event.type !== "tool.approval_required" || event.data.question !== undefined) return event;
    const { run_id: runId, tool_execution_id: id } = event.data;
    try {
      const run = await invokeFunction(this.#options.client, "agent-respond", { action: "attach", run_id: runId });
      const approval = run.pending_approvals?.find(({ tool_execution_id }) => tool_execution_id === id);
      if (approval === undefined) return event;
      const { input, question } = approval;
      const read = { ...(input !== undefined && { input }), ...(question !== undefined && { question }) };
      return { ...event, data: { ...event.data, ...read } };
    } catch {
      return event;
    }
  }

  async #read(stream: RunStream, abort: AbortController, onStart: (runId: string) => void): Promise<void> {
    const { onChange, onMessage } = this.#options;
    let runId = "";
    try {
      for await (const event of stream) {
        if (stream.runId !== null && stream.runId !== runId) {
          runId = stream.runId;
          if (this.#runs.get(runId)?.abort !== abort) this.#begin(runId, abort);
          onStart(runId);
        }
        const entry = this.#runs.get(runId);
        if (entry?.abort !== abort) continue;
        if (event.type === "message.created") onMessage(event.data.message);
        entry.run = applyRunEvent(entry.run, await this.#complete(event));
        onChange();
      }
    } catch (error) {
      if (runId === "") throw error;
      this.#forget(runId, abort);
    }
  }
}
