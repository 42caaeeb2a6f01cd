import { ConnectionError } from "./function-error.ts";
import { createEventParser, type ServerSentEvent } from "./event-parser.ts";
import type { FunctionsClient } from "./functions-client.ts";
import { callFunction } from "./invoke-function.ts";
import type { RunStreamEvent } from "./run-stream-event.ts";

interface ConnectionOptions {
  readonly signal: AbortSignal | undefined;
  /** The service sends a comment every ten seconds, so a connection that is silent for much longer is dead. */
  readonly maxSilenceMs: number;
  /** Called when the response begins, with the id of the run if the client may read it. */
  readonly onOpen: (runId: string | null) => void;
}

/** Yields the events of one response. Returns when it ends, for whatever reason; the caller knows whether it was complete. */
export async function* openConnection(
  client: FunctionsClient,
  call: { readonly body: Record<string, unknown>; readonly headers: Record<string, string> },
  { signal, maxSilenceMs, onOpen }: ConnectionOptions,
): AsyncGenerator<RunStreamEvent, void, undefined> {
  const abort = new AbortController();
  const leave = (): void => abort.abort(signal?.reason);
  signal?.addEventListener("abort", leave, { once: true });
  const watch = createWatch(maxSilenceMs, () =>
    abort.abort(new ConnectionError("The service did not respond in time")),
  );
  let reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  try {
    signal?.throwIfAborted();
    const response = await callFunction(client, "agent-respond", { ...call, signal: abort.signal });
    if (!isStream(response)) throw new ConnectionError("The response is not a stream");
    onOpen(response.headers.get("x-run-id"));
    reader = response.body.getReader();
    // Not every implementation of fetch ends a body that is being read when the signal is aborted.
    const open = reader;
    abort.signal.addEventListener("abort", () => void open.cancel().catch(() => {}), { once: true });
    const decoder = new TextDecoder();
    const parser = createEventParser();
    for (;;) {
      watch.start();
      const { done, value } = await reader.read();
      if (done) return;
      for (const frame of parser.push(decoder.decode(value, { stream: true }))) {
        const event = parseFrame(frame);
        // The reader of the events may be slow; that is not the silence of the service.
        watch.stop();
        if (event !== null) yield event;
      }
    }
  } finally {
    watch.stop();
    signal?.removeEventListener("abort", leave);
    void reader?.cancel().catch(() => {});
    abort.abort();
  }
}

interface Watch {
  start(): void;
  stop(): void;
}

function createWatch(maxMs: number, onSilence: () => void): Watch {
  let timer = setTimeout(onSilence, maxMs);
  return {
    start() {
      clearTimeout(timer);
      timer = setTimeout(onSilence, maxMs);
    },
    stop: () => clearTimeout(timer),
  };
}

function isStream(value: unknown): value is Response & { readonly body: ReadableStream<Uint8Array> } {
  return typeof value === "object" && value !== null && "body" in value && value.body !== null && "headers" in value;
}

/** Null for what is not an event of a run. */
function parseFrame({ id, event, data }: ServerSentEvent): RunStreamEvent | null {
  try {
    const value: unknown = JSON.parse(data);
    if (typeof value !== "object" || value === null) return null;
    const number = id !== null && /^\d+$/.test(id) ? Number(id) : null;
    return { id: number, type: event, data: value } as RunStreamEvent;
  } catch {
    return null;
  }
}
