import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { getClient, getStart, type Row } from "./client.ts";
import { watchedFetch } from "./connection.ts";
import { readEvents, type StreamEvent } from "./event-stream.ts";
import { type Failure, toFailure, unwrap } from "./failure.ts";
import { applyRunEvent, beginRun, hasEnded, type LiveRun, messageOf } from "./live-run.ts";

export interface Question {
  readonly message: string;
  /** Only these answer; else those whom the strategy calls. */
  readonly agentIds?: readonly string[];
  readonly replyToId?: string | null;
  /** The same for every try at sending the same words. */
  readonly clientMessageId?: string;
  readonly onConflict?: "enqueue" | "reject" | "interrupt";
}

export interface RespondOptions {
  /** Each message of the runs when it is stored: the question first, then the answers. */
  onMessage?(message: Row<"messages">): void;
  /** A run that was followed has come to its end. */
  onEnd?(run: LiveRun): void;
}

export interface Respond {
  /** The runs that are followed, in the order in which they were begun. An ended one stays until it is forgotten. */
  readonly runs: readonly LiveRun[];
  /** The id of the run once it is accepted, or null when it was refused: then `failure` says why. */
  ask(question: Question): Promise<string | null>;
  readonly isAsking: boolean;
  readonly failure: Failure | null;
  /** Forgets the failure. */
  reset(): void;
  /** Attaches to a run that somebody else has begun, or this page before it was loaded again. */
  follow(runId: string): void;
  forget(runId: string): void;
}

interface Followed {
  run: LiveRun;
  readonly abort: AbortController;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
const TOO_MANY = 429;
const CLIENT_FAULT = 400;
const SERVER_FAULT = 500;

/**
 * Asks the agents of a swarm and follows their answers token by token. The run belongs to the service: when the connection is lost
 * it is attached to again after the last event that was seen, and leaving the page does not end it.
 */
export function useRespond(swarmId: string, options: RespondOptions = {}): Respond {
  const [runs, setRuns] = useState<readonly LiveRun[]>([]);
  const [asking, setAsking] = useState(0);
  const [failure, setFailure] = useState<Failure | null>(null);
  const followed = useRef(new Map<string, Followed>());
  const heard = useRef(options);
  const frame = useRef(0);
  useEffect(() => {
    heard.current = options;
  });

  // Words come faster than they can be drawn: once a frame is enough.
  const show = useCallback(() => {
    frame.current ||= requestAnimationFrame(() => {
      frame.current = 0;
      setRuns([...followed.current.values()].map(({ run }) => run));
    });
  }, []);

  useEffect(() => {
    const all = followed.current;
    return () => {
      cancelAnimationFrame(frame.current);
      frame.current = 0;
      for (const { abort } of all.values()) abort.abort();
      all.clear();
      setRuns([]);
    };
  }, [swarmId]);

  const actions = useMemo(() => {
    const hear = (entry: Followed, event: StreamEvent): void => {
      entry.run = applyRunEvent(entry.run, event);
      const message = messageOf(event);
      if (message !== null) heard.current.onMessage?.(message);
      show();
    };
    const start = (runId: string, first: Response | null, abort: AbortController): void => {
      // The run may have been heard of before its own call was answered; one stream is enough.
      if (followed.current.has(runId)) return abort.abort();
      const entry: Followed = { run: beginRun(runId, swarmId), abort };
      followed.current.set(runId, entry);
      show();
      const end = (): void => {
        if (!abort.signal.aborted) heard.current.onEnd?.(entry.run);
      };
      return void followRun(entry, first, (event) => hear(entry, event), show).then(end);
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
      follow: (runId: string): void => {
        start(runId, null, new AbortController());
      },
      forget: (runId: string): void => {
        followed.current.get(runId)?.abort.abort();
        if (followed.current.delete(runId)) show();
      },
    };
  }, [swarmId, show]);

  return { runs, isAsking: asking > 0, failure, ...actions };
}

/** What was said by then is kept. */
export async function cancelRun(runId: string): Promise<void> {
  await unwrap(getClient().functions.invoke("agent-respond", { body: { action: "cancel", run_id: runId } }));
}

export interface Decision {
  readonly runId: string;
  readonly toolExecutionId: string;
  readonly isApproved: boolean;
  readonly reason?: string;
}

/** Lets a tool call happen, or not. For the owner of the agent alone, once. */
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

/** supabase-js reads an answer to its end before it gives it out, so a stream is fetched beside it, with the same session. */
async function call(body: Record<string, unknown>, signal: AbortSignal): Promise<Response> {
  const { url, anonKey } = getStart();
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

/** Reads a run to its end, over as many connections as it takes. */
async function followRun(
  entry: Followed,
  first: Response | null,
  hear: (event: StreamEvent) => void,
  show: () => void,
): Promise<void> {
  const { signal } = entry.abort;
  let response = first;
  let waitMs = FIRST_WAIT_MS;
  while (!signal.aborted && !hasEnded(entry.run)) {
    try {
      response ??= await call({ action: "attach", run_id: entry.run.id, last_event_id: entry.run.lastEventId }, signal);
      entry.run = { ...entry.run, isConnected: true };
      for await (const event of readEvents(response)) {
        if (signal.aborted) return;
        hear(event);
        waitMs = FIRST_WAIT_MS;
        if (event.type === "done") break;
      }
    } catch (error) {
      const { status } = await toFailure(error);
      // Gone, or not ours to hear any more: asking again would not change it.
      if (status >= CLIENT_FAULT && status < SERVER_FAULT && status !== TOO_MANY) return;
    }
    response = null;
    if (signal.aborted || hasEnded(entry.run)) return;
    entry.run = { ...entry.run, isConnected: false };
    show();
    await pause(waitMs, signal);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
