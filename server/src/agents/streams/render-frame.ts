import type { RunEvent } from "./stream-hub.ts";
import type { Viewer } from "./viewer.ts";

export const PING = ": ping\n\n";

const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;

export function streamHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return { ...headers, ...STREAM_HEADERS };
}

/** One frame of the stream. JSON has no line breaks of its own, so that the text cannot end the frame. */
export function renderFrame({ seq, type, runId, data }: Pick<RunEvent, "seq" | "type" | "runId" | "data">): string {
  return `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify({ ...data, run_id: runId, seq })}\n\n`;
}

/** What a tool got and gave, and what a model thought, is for the agent's owner and those who run the swarm; the others see that it happened. */
export function hidePayload(event: RunEvent, { isManager, ownAgentIds }: Viewer): RunEvent {
  const { isRestricted, agentId, data } = event;
  if (!isRestricted || isManager || (agentId !== null && ownAgentIds.includes(agentId))) return event;
  const { input: _input, output_preview: _output, delta: _thought, ...shown } = data;
  return { ...event, data: shown };
}
