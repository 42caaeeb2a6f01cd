import {
  attach,
  invokeFunction,
  isFinalRunStatus,
  isFunctionError,
  type Run,
  type RunStreamEvent,
} from "@swarmbase/sdk";
import type { ToolCall } from "./tools/tool.ts";

/** The member of `_meta` that says which event of the run a notification renders. */
const EVENT_META = "swarmbase/event";
/** After these the run waits for somebody, as soon as its other tool calls have ended. */
const WAITING: ReadonlySet<string> = new Set(["tool.approval_required", "tool.client_call"]);

/** Whether the run continues only after a decision, or after the result of a tool of the application that started it. */
export function isWaiting(run: Run & { readonly pending_client_calls?: readonly unknown[] | null }): boolean {
  const { status, pending_approvals: approvals, pending_client_calls: calls } = run;
  return status === "requires_action" && (approvals?.length ?? 0) + (calls?.length ?? 0) > 0;
}

/** Reads a run until it ends or waits, and reports its events as progress if the client asks for it. */
export async function followRun(runId: string, call: ToolCall, afterEventId = 0): Promise<Run> {
  for (let lastEventId = afterEventId; ; ) {
    const stream = attach(call.caller.core, runId, { lastEventId, signal: call.request.signal });
    let mayWait = false;
    for await (const event of stream) {
      await report(event, call);
      mayWait = WAITING.has(event.type);
      if (mayWait) break;
    }
    if (!mayWait) return await stream.result();
    lastEventId = stream.lastEventId;
    const run = await readRun(runId, call);
    if (isFinalRunStatus(run.status) || isWaiting(run)) return run;
  }
}

/** The run as soon as it has ended or waits. */
async function readRun(runId: string, { caller, request }: ToolCall): Promise<Run> {
  try {
    const options = { signal: request.signal };
    return await invokeFunction(caller.core, "agent-respond", { action: "attach", run_id: runId }, options);
  } catch (error) {
    // The run in which no agent could answer.
    if (isFunctionError(error) && error.run !== null) return error.run;
    throw error;
  }
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
