import { attach, readUntilWaiting, type Run, type RunStreamEvent } from "@swarmbase/sdk";
import type { ToolCall } from "./tools/tool.ts";

/** The member of `_meta` that says which event of the run a notification renders. */
const EVENT_META = "swarmbase/event";

/** Reads a run until it ends or waits, and reports its events as progress if the client asks for it. */
export async function followRun(runId: string, call: ToolCall, afterEventId = 0): Promise<Run> {
  const { core } = call.caller;
  const stream = attach(core, runId, { lastEventId: afterEventId, signal: call.request.signal });
  const events = readUntilWaiting(core, stream);
  let step = await events.next();
  for (; step.done !== true; step = await events.next()) await report(step.value, call);
  return step.value ?? (await stream.result());
}

async function report(event: RunStreamEvent, { request }: ToolCall): Promise<void> {
  const progressToken = request._meta?.progressToken;
  const message = describe(event);
  if (progressToken === undefined || message === null || event.id === null) return;
  const { type, data } = event;
  const agentId = "agent_id" in data ? data.agent_id : null;
  const turnId = "turn_id" in data ? data.turn_id : null;
  await request.notify({
    method: "notifications/progress",
    params: {
      progressToken,
      progress: event.id,
      message,
      _meta: { [EVENT_META]: { type, agent_id: agentId, turn_id: turnId } },
    },
  });
}

/** What a person reads; null for events that are not reported. */
function describe({ type, data }: RunStreamEvent): string | null {
  switch (type) {
    case "run.queued":
      return "Waiting for another answer of the swarm";
    case "turn.started":
      return `${data.agent_name} is answering`;
    case "message.delta":
      return data.delta;
    case "message.reset":
      return "The answer begins anew";
    case "tool.started":
      return `Calling ${data.tool_name}`;
    case "tool.executed":
      return `${data.tool_name} has ended`;
    case "tool.error":
      return `${data.tool_name} failed: ${data.error.message}`;
    case "tool.approval_required":
      return `${data.tool_name} waits for an approval`;
    default:
      return null;
  }
}
