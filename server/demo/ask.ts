import assert from "node:assert/strict";
import { eventually } from "./eventually.ts";
import type { Narrator } from "./narrator.ts";
import { type Person, type CreatedRow, dataOf } from "./people.ts";
import { orderOf } from "./publish.ts";
import { type Frame, readFrames } from "./read-frames.ts";

interface Run {
  readonly run_id: string;
  readonly swarm_id: string;
}

/** A run of a customer, and a tool call of it that needs a decision. */
export interface Asked extends Run {
  readonly execution: CreatedRow;
}

/** Streams the answer, in which the agent uses a tool. */
export async function askForStream({ name, client }: Person, agentId: string, narrator: Narrator): Promise<void> {
  narrator.step(`${name} asks, streamed`, 'functions.invoke("agent-respond", { agent_id, message, stream: true })');
  const message = "Where are my orders?";
  narrator.line(`${name}: ${message}`);
  const response = dataOf<Response>(
    await client.functions.invoke("agent-respond", { body: { agent_id: agentId, message, stream: true } }),
  );
  assert.ok(response.body !== null, "the answer was to be a stream");
  const seen = new Map<string, number>();
  let found = "";
  for await (const frame of readFrames(response.body)) {
    seen.set(frame.event, (seen.get(frame.event) ?? 0) + 1);
    showFrame(frame, narrator);
    if (frame.event === "tool.executed") found = String(frame.fields["output_preview"]);
  }
  narrator.line(`${seen.get("message.delta")} pieces, then ${[...seen.keys()].at(-1)}`);
  assert.deepEqual(found.match(/[A-Z]-17/g), [orderOf(name)], "the tool was to find the orders of the customer alone");
}

/** The agent wants to use a tool that needs the customer's approval. */
export async function askForRefund({ name, client }: Person, agentId: string, narrator: Narrator): Promise<Asked> {
  narrator.step(
    `${name} asks for an action`,
    'functions.invoke("agent-respond", { agent_id, message, background: true })',
  );
  const message = `Please refund my order ${orderOf(name)}.`;
  narrator.line(`${name}: ${message}`);
  const run = dataOf<Run>(
    await client.functions.invoke("agent-respond", { body: { agent_id: agentId, message, background: true } }),
  );
  const [execution] = await eventually(
    async () => dataOf<readonly CreatedRow[]>(await client.from("tool_executions").select().eq("run_id", run.run_id)),
    ([first]) => first?.["status"] === "pending_approval",
    "the tool call",
  );
  assert.ok(execution !== undefined);
  narrator.line(`${String(execution["tool_name"])} waits for ${name}'s approval`);
  return { ...run, execution };
}

/** The run goes on where it stood when the service was killed. */
export async function approve({ name, client }: Person, asked: Asked, narrator: Narrator): Promise<void> {
  narrator.step(`${name} approves, and the run continues`, 'functions.invoke("agent-respond", { action: "approve" })');
  const decisions = [{ tool_execution_id: asked.execution.id, approved: true }];
  const body = { action: "approve", run_id: asked.run_id, decisions };
  await eventually(
    () => client.functions.invoke("agent-respond", { body }),
    ({ error }) => error === null,
    "the decision",
  );
  narrator.line(`Support: ${await readAnswer(client, asked)}`);
}

async function readAnswer(client: Person["client"], { swarm_id: swarmId, run_id: runId }: Run): Promise<string> {
  const [answer] = await eventually(
    async () =>
      dataOf<readonly CreatedRow[]>(await client.from("messages").select().eq("swarm_id", swarmId).eq("run_id", runId)),
    ({ length }) => length > 0,
    "the answer",
  );
  return String(answer?.["content"]);
}

/** A run that waits for something outside of the service. */
interface Waiting extends Run {
  readonly pending_waits: readonly { readonly name: string; readonly until: string }[];
}

/** The agent requests something that takes long, and waits until it is there. */
export async function askForReport({ name, client }: Person, agentId: string, narrator: Narrator): Promise<Waiting> {
  narrator.step(
    `${name} asks for something that takes long`,
    'functions.invoke("agent-respond", { agent_id, message })',
  );
  const said = "Please tell me about my orders when the report is there.";
  narrator.line(`${name}: ${said}`);
  // The lines after it say which tools the simulated model calls. The name of the event is set by the shop.
  const message = `${said}\n/tool request_report\n/tool wait_for_event {"seconds":86400}`;
  const run = dataOf<Waiting>(await client.functions.invoke("agent-respond", { body: { agent_id: agentId, message } }));
  const [wait] = run.pending_waits;
  assert.ok(wait !== undefined, "the run was to wait");
  narrator.line(`the run waits for ${wait.name}, until ${wait.until} at most, and holds nothing meanwhile`);
  return run;
}

/** The run continues, and its agent still knows what a tool said before the service was killed. */
export async function signalReport({ name, client }: Person, run: Waiting, narrator: Narrator): Promise<void> {
  narrator.step("The report is there", 'functions.invoke("agent-respond", { action: "signal" })');
  const body = { action: "signal", run_id: run.run_id, name: run.pending_waits[0]?.name, data: { pages: 12 } };
  dataOf(await client.functions.invoke("agent-respond", { body }));
  const answer = await readAnswer(client, run);
  narrator.line(`Support: ${answer}`);
  assert.match(
    answer,
    new RegExp(`request_report returned: .*R-${orderOf(name)}.*wait_for_event returned: .*"pages":12`),
  );
}

function showFrame({ event, fields }: Frame, narrator: Narrator): void {
  switch (event) {
    case "message.delta":
      narrator.piece(String(fields["delta"]));
      return;
    case "tool.started":
      narrator.line(`[${event}] ${String(fields["tool_name"])} ${JSON.stringify(fields["input"])}`);
      return;
    case "tool.executed":
      narrator.line(`[${event}] ${String(fields["output_preview"])}`);
      return;
    default:
  }
}
