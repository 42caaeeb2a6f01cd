import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ok } from "./support/clients.ts";
import { ISO_8601, UUID } from "./support/patterns.ts";
import { newPerson, onlyRow, type Person, REPRESENTATION, type Row } from "./support/people.ts";
import { add, findTool, read, respond, SIMULATED, addSwarmAgent } from "./support/swarms.ts";
import { type Service, startService } from "./support/service.ts";

const TOOL_FIELDS = ["id", "name", "description", "category", "icon", "input_schema"];
const ASSIGNMENT_FIELDS = ["id", "agent_id", "tool_id", "enabled", "configuration", "created_at"];
const ASK = '/tool calculator {"expression": "6 * 7"}';

let service: Service;
let ada: Person;

interface Asked {
  readonly executions: readonly Row[];
  readonly payloads: readonly Row[];
}

/** The message that makes a simulated agent call the calculator. */
async function ask(assignment: Row): Promise<Asked> {
  const swarm = await add(ada, "swarms", { name: "Room" });
  const agent_id = await addSwarmAgent(ada, swarm, "Ada");
  const tool_id = await findTool(ada, "calculator");
  await add(ada, "agent_tools", { agent_id, tool_id, ...assignment });
  const { run_id } = await respond(ada, swarm, ASK);
  const executions = await read(ada, `/tool_executions?run_id=eq.${run_id}`);
  const ids = executions.map(({ id }) => String(id)).join(",");
  const payloads = await read(ada, `/tool_execution_payloads?tool_execution_id=in.(${ids})`);
  return { executions, payloads };
}

before(async () => {
  service = await startService(SIMULATED);
  ada = await newPerson(service);
});
after(() => service?.stop());

test("2.3 a tool has all documented fields, and every user can read built-in tools but not change them", async () => {
  const tools = await read(ada, "/tools?kind=eq.builtin&order=name");
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["calculator", "current_time", "http_get", "json_query", "search_messages", "sleep", "wait_for_event"],
  );
  for (const tool of tools) {
    for (const field of TOOL_FIELDS) assert.ok(field in tool, field);
    assert.equal((tool["input_schema"] as Row)["type"], "object");
    for (const [method, body] of [
      ["PATCH", { description: "Mine now" }],
      ["DELETE", undefined],
    ] as const) {
      const line = `${method} /tools?id=eq.${String(tool["id"])}`;
      const answer = await ada.send(line, { ...(body !== undefined && { body }), headers: REPRESENTATION });
      assert.ok(answer.status === 403 || answer.rows.length === 0, answer.text);
    }
  }
  assert.deepEqual(await read(ada, "/tools?kind=eq.builtin&order=name"), tools);
});

test("2.3 an assignment has all documented fields and defaults, and can embed its tool", async () => {
  const agent_id = await add(ada, "agents", { name: "Ada" });
  const tool_id = await findTool(ada, "current_time");
  const other = await add(ada, "agents", { name: "Bob" });
  const made = onlyRow(await ada.send("POST /agent_tools", { body: { agent_id, tool_id }, headers: REPRESENTATION }));
  const byLibrary = ok(
    await ada.client.from("agent_tools").insert({ agent_id: other, tool_id }).select().single(),
  ) as Row;
  for (const row of [made, byLibrary]) {
    for (const field of ASSIGNMENT_FIELDS) assert.ok(field in row, field);
    assert.deepEqual([row["tool_id"], row["enabled"], row["configuration"]], [tool_id, true, {}]);
    assert.match(String(row["id"]), UUID);
    assert.match(String(row["created_at"]), ISO_8601);
  }
  const [row] = await read(ada, `/agent_tools?agent_id=eq.${agent_id}&select=id,tool(${TOOL_FIELDS.join(",")})`);
  const tool = row?.["tool"] as Row;
  assert.deepEqual(Object.keys(tool), TOOL_FIELDS);
  assert.equal(tool["id"], tool_id);
});

test("2.3 an agent can call a tool whose assignment is enabled", async () => {
  const { executions, payloads } = await ask({});
  assert.deepEqual(
    executions.map(({ tool_name, status }) => [tool_name, status]),
    [["calculator", "succeeded"]],
  );
  assert.deepEqual(payloads[0]?.["input"], { expression: "6 * 7" });
  assert.match(JSON.stringify(payloads[0]?.["output"]), /42/);
});

test("2.3 an agent does not see a tool whose assignment is disabled", async () => {
  const { executions } = await ask({ enabled: false });
  assert.deepEqual(
    executions.filter(({ status }) => status === "succeeded"),
    [],
  );
});

test("2.3 the configuration of an assignment overrides the arguments that the model chooses", async () => {
  const { executions, payloads } = await ask({ configuration: { expression: "100 + 1" } });
  assert.deepEqual(
    executions.map(({ status }) => status),
    ["succeeded"],
  );
  assert.match(JSON.stringify(payloads[0]?.["output"]), /101/);
});

test("beyond: one read returns the trace of a run: its turns, model calls and tool calls", async () => {
  const { executions } = await ask({});
  const runId = String(executions[0]?.["run_id"]);
  const line = `/runs?id=eq.${runId}&select=*,turns(*,model_calls(*),tool_executions(*))&turns.model_calls.order=started_at,id`;
  const [run] = await read(ada, line);
  assert.ok(run !== undefined);
  const [turn, ...others] = run["turns"] as Row[];
  assert.deepEqual([others, turn?.["run_id"], turn?.["tool_executions"]], [[], runId, executions]);
  const calls = turn?.["model_calls"] as Row[];
  assert.deepEqual(
    calls.map(({ turn_id, attempt, status, finish_reason }) => [turn_id, attempt, status, finish_reason]),
    [
      [turn?.["id"], 1, "succeeded", "tool_calls"],
      [turn?.["id"], 1, "succeeded", "stop"],
    ],
  );
  for (const column of ["input_tokens", "output_tokens", "cost_usd"])
    assert.equal(
      calls.reduce((sum, call) => sum + Number(call[column]), 0),
      Number(turn?.[column]),
      column,
    );
  const stranger = await newPerson(service);
  assert.deepEqual(await read(stranger, line), []);
  assert.deepEqual(await read(stranger, `/model_calls?run_id=eq.${runId}`), []);
});
