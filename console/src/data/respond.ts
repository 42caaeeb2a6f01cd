import {
  type AgentRespondAskBody,
  applyRunEvent,
  attach,
  beginLiveRun,
  respond,
  type RunStream,
  type StreamOptions,
} from "@swarmbase/sdk";
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { getClient, type Row } from "./client.ts";
import { type Failure, toFailure, unwrap } from "./failure.ts";
import { useClearOnReconnect } from "./use-clear-on-reconnect.ts";
import { hasEnded, type LiveRun } from "./live-run.ts";

export interface Question {
  readonly message: string;
  /** Only these agents answer; by default the strategy decides. */
  readonly agentIds?: readonly string[];
  readonly replyToId?: string | null;
  /** The same for all attempts to send this message. */
  readonly clientMessageId?: string;
  readonly onConflict?: "enqueue" | "reject" | "interrupt";
}

interface RespondOptions {
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

/** The user sends a message again; a run that has started is followed to its end. */
const RECONNECT = { startAttempts: 0, attempts: Number.POSITIVE_INFINITY };

/**
 * Starts runs and streams their replies. A run does not depend on this page: after a lost connection the hook attaches again
 * after the last received event, and closing the page does not end the run.
 */
export function useRespond(swarmId: string, options: RespondOptions = {}): Respond {
  const [runs, setRuns] = useState<readonly LiveRun[]>([]);
  const [asking, setAsking] = useState(0);
  const [failure, setFailure] = useState<Failure | null>(null);
  useClearOnReconnect(failure, () => setFailure(null));
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
    const streams = createStreams(swarmId, attached.current, latestOptions, show);
    return {
      ...streams,
      ask: async (question: Question): Promise<string | null> => {
        setAsking((count) => count + 1);
        setFailure(null);
        try {
          return await streams.ask(question);
        } catch (error) {
          setFailure(await toFailure(error));
          return null;
        } finally {
          setAsking((count) => count - 1);
        }
      },
      reset: () => setFailure(null),
    };
  }, [swarmId, show]);

  return { runs, isAsking: asking > 0, failure, ...actions };
}

/** Reads the streams of runs into the attached runs. Calls `onChange` when the state of one has changed. */
function createStreams(
  swarmId: string,
  attached: Map<string, AttachedRun>,
  options: RefObject<RespondOptions>,
  onChange: () => void,
) {
  const watch = (abort: AbortController): StreamOptions => ({
    signal: abort.signal,
    reconnect: RECONNECT,
    onConnectionChange: (isConnected) => {
      for (const entry of attached.values()) {
        if (entry.abort !== abort || hasEnded(entry.run)) continue;
        entry.run = { ...entry.run, isConnected };
        onChange();
      }
    },
  });
  const begin = (runId: string, abort: AbortController): void => {
    attached.set(runId, { run: { ...beginLiveRun(runId, swarmId), isConnected: true }, abort });
    onChange();
  };
  /** Reads a stream to its end. Rejects only if the run has not started. */
  const read = async (stream: RunStream, abort: AbortController, onStart: (runId: string) => void): Promise<void> => {
    let runId = "";
    try {
      for await (const event of stream) {
        if (runId === "" && stream.runId !== null) {
          ({ runId } = stream);
          // The run may be attached already, if realtime reported it before the response arrived.
          if (!attached.has(runId)) begin(runId, abort);
          onStart(runId);
        }
        const entry = attached.get(runId);
        if (entry?.abort !== abort) return;
        entry.run = { ...entry.run, ...applyRunEvent(entry.run, event) };
        if (event.type === "message.created") options.current.onMessage?.(event.data.message);
        onChange();
      }
    } catch (error) {
      // Later errors mean that the run was deleted or is no longer visible.
      if (runId === "") throw error;
    }
    const entry = attached.get(runId);
    if (!abort.signal.aborted && entry?.abort === abort) options.current.onEnd?.(entry.run);
  };
  return {
    /** Resolves with the id of the run when it has started. */
    ask: (question: Question): Promise<string> => {
      const abort = new AbortController();
      const stream = respond(getClient(), renderQuestion(swarmId, question), watch(abort));
      return new Promise<string>((resolve, reject) => {
        read(stream, abort, resolve).catch(reject);
      });
    },
    attach: (runId: string): void => {
      if (attached.has(runId)) return;
      const abort = new AbortController();
      begin(runId, abort);
      read(attach(getClient(), runId, watch(abort)), abort, () => {}).catch(() => {});
    },
    detach: (runId: string): void => {
      attached.get(runId)?.abort.abort();
      if (attached.delete(runId)) onChange();
    },
  };
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
  /** The answer to a question of the tool. */
  readonly content?: Readonly<Record<string, unknown>>;
}

/** Approves or denies a tool call. Only the owner of the agent can decide, once. */
export async function decideToolCall({ runId, toolExecutionId, isApproved, reason, content }: Decision): Promise<void> {
  const decision = {
    tool_execution_id: toolExecutionId,
    approved: isApproved,
    ...(reason && { reason }),
    ...(content && { content }),
  };
  const body = { action: "approve", run_id: runId, decisions: [decision] };
  await unwrap(getClient().functions.invoke("agent-respond", { body }));
}

function renderQuestion(swarmId: string, question: Question): AgentRespondAskBody {
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
