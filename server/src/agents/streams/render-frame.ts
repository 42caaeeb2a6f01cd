import { RUN_STREAM_EVENT_TYPES } from "@swarmbase/sdk";
import type { RunEvent } from "./stream-hub.ts";

/** What a user may see of a run. */
export interface Viewer {
  /** Null for the service role. */
  readonly userId: string | null;
  readonly isManager: boolean;
  readonly ownAgentIds: readonly string[];
}

export const PING = ": ping\n\n";

const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;

export function streamHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return { ...headers, ...STREAM_HEADERS };
}

/** One server-sent event. JSON escapes line breaks, so the text cannot end the frame. */
export function renderFrame({ seq, type, runId, data }: Pick<RunEvent, "seq" | "type" | "runId" | "data">): string {
  return `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify({ ...data, run_id: runId, seq })}\n\n`;
}

/** A restricted event of a newer release may have any member that must not be seen. */
const KNOWN_TYPES: ReadonlySet<string> = new Set(RUN_STREAM_EVENT_TYPES);

/**
 * Only the owner of the agent and managers of the swarm see the input and output of tools and the reasoning of models. The user
 * whose client executes a call sees its input.
 */
export function hidePayload(event: RunEvent, { userId, isManager, ownAgentIds }: Viewer): RunEvent {
  const { isRestricted, agentId, type, data } = event;
  if (type === "tool.client_call" && userId !== null && data["user_id"] === userId) return event;
  if (!isRestricted || isManager || (agentId !== null && ownAgentIds.includes(agentId))) return event;
  if (!KNOWN_TYPES.has(type)) return { ...event, data: {} };
  const { input: _input, output_preview: _output, delta: _thought, ...shown } = data;
  return { ...event, data: shown };
}
