import { attach, readUntilWaiting, type Run, type RunStreamEvent, type RunStreamEventOf } from "@swarmbase/sdk";
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
  const { type, data, id: progress } = event;
  const describe = TEXTS[type] as ((data: RunStreamEvent["data"]) => string) | undefined;
  if (progressToken === undefined || describe === undefined || progress === null) return;
  const agentId = "agent_id" in data ? data.agent_id : null;
  const turnId = "turn_id" in data ? data.turn_id : null;
  await request.notify({
    method: "notifications/progress",
    params: {
      progressToken,
      progress,
      message: describe(data),
      _meta: { [EVENT_META]: { type, agent_id: agentId, turn_id: turnId } },
    },
  });
}

type Texts = { readonly [Type in RunStreamEvent["type"]]?: (data: RunStreamEventOf<Type>["data"]) => string };

/** What a person reads of the events that are reported. */
const TEXTS: Texts = {
  "run.queued": () => "Waiting for another answer of the swarm",
  "turn.started": ({ agent_name: name }) => `${name} is answering`,
  "message.delta": ({ delta }) => delta,
  "message.reset": () => "The answer begins anew",
  "turn.restarted": () => "The answer begins anew",
  "tool.started": ({ tool_name: name }) => `Calling ${name}`,
  "tool.executed": ({ tool_name: name }) => `${name} has ended`,
  "tool.error": ({ tool_name: name, error }) => `${name} failed: ${error.message}`,
  "tool.waiting": ({ tool_name: name, until }) => `${name} waits${until === null ? "" : `, at most until ${until}`}`,
  "tool.approval_required": ({ tool_name: name }) => `${name} waits for an approval`,
};
