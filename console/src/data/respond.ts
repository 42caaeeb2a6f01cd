import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { getClient, getConfig, type Row } from "./client.ts";
import { watchedFetch } from "./connection.ts";
import { readEvents, type StreamEvent } from "./event-stream.ts";
import { type Failure, toFailure, unwrap } from "./failure.ts";
import { applyRunEvent, beginRun, hasEnded, type LiveRun, messageOf } from "./live-run.ts";

export interface Question {
  readonly message: string;
  /** Only these agents answer; by default the strategy decides. */
  readonly agentIds?: readonly string[];
  readonly replyToId?: string | null;
  /** The same for all attempts to send this message. */
  readonly clientMessageId?: string;
  readonly onConflict?: "enqueue" | "reject" | "interrupt";
}

export interface RespondOptions {
  /** Called for each stored message of the runs: the question first, then the replies. */
  onMessage?(message: Row<"messages">): void;
  /** Called when an attached run has ended. */
  onEnd?(run: LiveRun): void;
}

export interface Respond {
  /** The attached runs, the oldest first. An ended run stays until it is detached. */
  readonly runs: readonly LiveRun[];
  /** Starts a run and returns its id, or null when it was rejected; `failure` has the reason. */
  ask(question: Question): Promise<string | null>;
  readonly isAsking: boolean;
  readonly failure: Failure | null;
  /** Clears the failure. */
  reset(): void;
  /** Attaches to a run of another user, or of this page before a reload. */
  attach(runId: string): void;
  detach(runId: string): void;
}

interface AttachedRun {
  run: LiveRun;
  readonly abort: AbortController;
}

const INITIAL_WAIT_MS = 500;
const MAX_WAIT_MS = 10_000;
const TOO_MANY = 429;
const CLIENT_FAULT = 400;
const SERVER_FAULT = 500;

/**
 * Starts runs and streams their replies. A run does not depend on this page: after a lost connection the hook attaches again
 * after the last received event, and closing the page does not end the run.
 */
export function useRespond(swarmId: string, options: RespondOptions = {}): Respond {
  const [runs, setRuns] = useState<readonly LiveRun[]>([]);
  const [asking, setAsking] = useState(0);
  const [failure, setFailure] = useState<Failure | null>(null);
  const attached = useRef(new Map<string, AttachedRun>());
  const latestOptions = useRef(options);
  const frame = useRef(0);
  useEffect(() => {
    latestOptions.current = options;
  });

  // Renders at most once per frame, because tokens arrive faster.
  const show = useCallback(() => {
    frame.current ||= requestAnimationFrame(() => {
      frame.current = 0;
      setRuns([...attached.current.values()].map(({ run }) => run));
    });
  }, []);

  useEffect(() => {
    const all = attached.current;
    return () => {
      cancelAnimationFrame(frame.current);
      frame.current = 0;
      for (const { abort } of all.values()) abort.abort();
      all.clear();
      setRuns([]);
    };
  }, [swarmId]);

  const actions = useMemo(() => {
    const handle = (entry: AttachedRun, event: StreamEvent): void => {
      entry.run = applyRunEvent(entry.run, event);
      const message = messageOf(event);
      if (message !== null) latestOptions.current.onMessage?.(message);
      show();
    };
    const start = (runId: string, first: Response | null, abort: AbortController): void => {
      // The run may be attached already, if realtime reported it before the response arrived.
      if (attached.current.has(runId)) return abort.abort();
      const entry: AttachedRun = { run: beginRun(runId, swarmId), abort };
      attached.current.set(runId, entry);
      show();
      const end = (): void => {
        if (!abort.signal.aborted) latestOptions.current.onEnd?.(entry.run);
      };
      return void streamRun(entry, first, (event) => handle(entry, event), show).then(end);
    };
    return {
      ask: async (question: Question): Promise<string | null> => {
        const abort = new AbortController();
        setAsking((count) => count + 1);
        setFailure(null);
        try {
          const response = await call(renderQuestion(swarmId, question), abort.signal);
          const runId = response.headers.get("x-run-id") ?? "";
          start(runId, response, abort);
          return runId;
        } catch (error) {
          setFailure(await toFailure(error));
          return null;
        } finally {
          setAsking((count) => count - 1);
        }
      },
      reset: () => setFailure(null),
      attach: (runId: string): void => {
        start(runId, null, new AbortController());
      },
      detach: (runId: string): void => {
        attached.current.get(runId)?.abort.abort();
        if (attached.current.delete(runId)) show();
      },
    };
  }, [swarmId, show]);

  return { runs, isAsking: asking > 0, failure, ...actions };
}

/** Cancels a run. Its messages are kept. */
export async function cancelRun(runId: string): Promise<void> {
  await unwrap(getClient().functions.invoke("agent-respond", { body: { action: "cancel", run_id: runId } }));
}

export interface Decision {
  readonly runId: string;
  readonly toolExecutionId: string;
  readonly isApproved: boolean;
  readonly reason?: string;
}

/** Approves or denies a tool call. Only the owner of the agent can decide, once. */
export async function decideToolCall({ runId, toolExecutionId, isApproved, reason }: Decision): Promise<void> {
  const decision = { tool_execution_id: toolExecutionId, approved: isApproved, ...(reason && { reason }) };
  const body = { action: "approve", run_id: runId, decisions: [decision] };
  await unwrap(getClient().functions.invoke("agent-respond", { body }));
}

function renderQuestion(swarmId: string, question: Question): Record<string, unknown> {
  const { message, agentIds, replyToId, clientMessageId, onConflict } = question;
  return {
    swarm_id: swarmId,
    message,
    ...(agentIds !== undefined && { agent_ids: agentIds }),
    ...(replyToId !== undefined && { reply_to_id: replyToId }),
    ...(clientMessageId !== undefined && { client_message_id: clientMessageId }),
    ...(onConflict !== undefined && { on_conflict: onConflict }),
  };
}

/** Requests a stream with the same session. supabase-js would return the response only when it is complete. */
async function call(body: Record<string, unknown>, signal: AbortSignal): Promise<Response> {
  const { url, anonKey } = getConfig();
  const { data } = await getClient().auth.getSession();
  const response = await watchedFetch(`${url}/functions/v1/agent-respond`, {
    method: "POST",
    headers: {
      apikey: anonKey,
      authorization: `Bearer ${data.session?.access_token ?? anonKey}`,
      "content-type": "application/json",
      accept: "text/event-stream",
    },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw await toFailure({ context: response });
  return response;
}

/** Streams a run until it ends, and attaches again after lost connections. */
async function streamRun(
  entry: AttachedRun,
  first: Response | null,
  handle: (event: StreamEvent) => void,
  show: () => void,
): Promise<void> {
  const { signal } = entry.abort;
  let response = first;
  let waitMs = INITIAL_WAIT_MS;
  while (!signal.aborted && !hasEnded(entry.run)) {
    try {
      response ??= await call({ action: "attach", run_id: entry.run.id, last_event_id: entry.run.lastEventId }, signal);
      entry.run = { ...entry.run, isConnected: true };
      for await (const event of readEvents(response)) {
        if (signal.aborted) return;
        handle(event);
        waitMs = INITIAL_WAIT_MS;
        if (event.type === "done") break;
      }
    } catch (error) {
      const { status } = await toFailure(error);
      // The run was deleted or is no longer visible; retrying would not help.
      if (status >= CLIENT_FAULT && status < SERVER_FAULT && status !== TOO_MANY) return;
    }
    response = null;
    if (signal.aborted || hasEnded(entry.run)) return;
    entry.run = { ...entry.run, isConnected: false };
    show();
    await sleep(waitMs, signal);
    waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
