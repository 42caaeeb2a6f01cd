import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, test } from "node:test";
import { ask, assertRunRejected, openSwarm, RESPOND, addMember, waitForRun } from "./support/runs.ts";
import { NEEDS_RECEIVER } from "./support/given-service.ts";
import { newPerson, openServiceRole, type Person, type Row } from "./support/people.ts";
import { startReceiver } from "./support/receiver.ts";
import { assertValidationBody } from "./support/api-errors.ts";
import { add, change, read, respond, SIMULATED } from "./support/swarms.ts";
import { type Service, startService } from "./support/service.ts";

let service: Service;
let ada: Person;
let bob: Person;
let stranger: Person;
let admin: Pick<Person, "client" | "send">;
let swarm: string;
let agent: string;
before(async () => {
  service = await startService(SIMULATED);
  [ada, bob, stranger] = [await newPerson(service), await newPerson(service), await newPerson(service)];
  admin = openServiceRole(service);
});
after(() => service?.stop());
beforeEach(async () => {
  ({ swarm, agent } = await openSwarm(ada));
});

test("4.4 members can start runs, viewers and non-members get 403, and a missing swarm is 404", async () => {
  const body = { swarm_id: swarm, message: "Hi" };
  await assertRunRejected(ask(stranger, body), 403, "FORBIDDEN");
  await assertRunRejected(ask(stranger, { ...body, swarm_id: randomUUID() }), 404, "SWARM_NOT_FOUND");
  await addMember(ada, swarm, bob, "viewer");
  await assertRunRejected(ask(bob, body), 403, "FORBIDDEN");
  const run = await respond(ada, swarm, "Hi");
  assert.equal((await ask(bob, { action: "attach", run_id: run.run_id, stream: false })).status, 200);
  await assertRunRejected(ask(stranger, { action: "attach", run_id: run.run_id }), 404, "RUN_NOT_FOUND");
  await assertRunRejected(ask(bob, { action: "cancel", run_id: run.run_id }), 403, "FORBIDDEN");
  const messages = [
    await ask(stranger, body),
    await ask(bob, body),
    await ask(bob, { action: "cancel", run_id: run.run_id }),
  ];
  assert.deepEqual(
    messages.map((answer) => answer.body["message"]),
    [
      "You are not a member of this swarm",
      "Viewers of a swarm can only read its messages; writing needs the role member, admin or owner",
      "Only the user who started a run, and the owner and admins of its swarm, can cancel or interrupt it",
    ],
  );
  await assertRunRejected(ask(ada, { ...body, user_id: bob.id }), 403, "FORBIDDEN");
});

test("4.4 the service role must name the user that it acts for", async () => {
  const body = { swarm_id: swarm, message: "Hi" };
  assertValidationBody(await ask(admin, body), ["user_id"]);
  assertValidationBody(await ask(admin, { ...body, user_id: randomUUID() }), ["user_id"]);
  const run = await respond(admin, swarm, "Hi", { user_id: bob.id });
  assert.equal((run["message"] as Row)["sender_id"], bob.id);
  const [usage] = await read(admin, `/usage_records?run_id=eq.${run.run_id}`);
  assert.equal(usage?.["payer_id"], bob.id);
});

test("4.4 a run requires an active swarm with enabled agents", async () => {
  const body = { swarm_id: swarm, message: "Hi" };
  for (const status of ["paused", "completed", "archived"]) {
    await change(ada, "swarms", swarm, { status });
    await assertRunRejected(ask(ada, body), 409, "SWARM_NOT_ACTIVE");
  }
  await assertRunRejected(
    ask(ada, { ...body, swarm_id: await add(ada, "swarms", { name: "Empty" }) }),
    400,
    "NO_AGENTS",
  );
  assert.deepEqual(await read(ada, `/messages?swarm_id=eq.${swarm}`), []);
});

test("4.4 invalid fields of a call are reported by field", async () => {
  const cases: [body: Row, fields: string[]][] = [
    [{}, ["swarm_id", "message"]],
    [{ swarm_id: "x", message: "" }, ["swarm_id", "message"]],
    [{ swarm_id: swarm, message: "a".repeat(32_001) }, ["message"]],
    [{ swarm_id: swarm, message: "a\u0000b" }, ["message"]],
    [{ swarm_id: swarm, message: "\ud800" }, ["message"]],
    [{ swarm_id: swarm, message: "Hi", metadata: { deep: "\udfff" } }, ["metadata"]],
    [{ swarm_id: swarm, message: "Hi", metadata: { long: "x".repeat(33_000) } }, ["metadata"]],
    [{ swarm_id: swarm, message: "Hi", agent_ids: [randomUUID()] }, ["agent_ids"]],
    [{ swarm_id: swarm, message: "Hi", reply_to_id: randomUUID() }, ["reply_to_id"]],
    [{ swarm_id: swarm, message: "Hi", max_turns: 51, on_conflict: "fight" }, ["max_turns", "on_conflict"]],
    [{ swarm_id: swarm, message: "Hi", response_schema: { type: "nothing" } }, ["response_schema"]],
    [{ swarm_id: swarm, message: "Hi", response_schema: { $ref: "https://example.com/x" } }, ["response_schema"]],
    [{ swarm_id: swarm, message: "Hi", response_schema: { pattern: "(a+)+$(?=b)" } }, ["response_schema"]],
    [{ swarm_id: swarm, message: "Hi", response_schema: { title: "x".repeat(16_400) } }, ["response_schema"]],
    [{ swarm_id: swarm, message: "Hi", response_schema: { title: "\u0000" } }, ["response_schema"]],
    [{ action: "explode", run_id: randomUUID() }, ["action"]],
    [{ action: "approve", run_id: randomUUID(), decisions: [] }, ["decisions"]],
  ];
  for (const [body, fields] of cases) assertValidationBody(await ask(ada, body), fields);
  const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  const deep = (levels: number) => `{"swarm_id":"${swarm}","message":"Hi","metadata":{"a":${nested(levels)}}}`;
  assertValidationBody(await ada.send(RESPOND, { body: deep(100) }), ["metadata"]);
  assertValidationBody(await ada.send(RESPOND, { body: deep(9_000) }), ["body"]);
  await assertRunRejected(ask(ada, { action: "cancel", run_id: randomUUID() }), 404, "RUN_NOT_FOUND");
});

test("4.4 a tool call that needs an approval waits for the agent's owner", { skip: NEEDS_RECEIVER }, async (t) => {
  const receiver = await startReceiver(service);
  t.after(() => receiver.stop());
  const endpoint = receiver.addEndpoint({
    status: 200,
    body: '{"ok":true}',
    headers: { "content-type": "application/json" },
  });
  const tool_id = await add(ada, "tools", {
    name: "ring",
    description: "Rings a bell",
    category: "test",
    kind: "http",
    input_schema: { type: "object", properties: { note: { type: "string" } } },
    config: { method: "GET", url: endpoint.url },
    requires_approval: true,
  });
  await add(ada, "agent_tools", { agent_id: agent, tool_id });
  await addMember(ada, swarm, bob, "member");
  for (const approved of [true, false]) {
    const waiting = await ask(bob, { swarm_id: swarm, message: 'Ring\n/tool ring {"note":"now"}' });
    assert.deepEqual([waiting.status, waiting.body["status"]], [202, "requires_action"], waiting.text);
    const [pending] = waiting.body["pending_approvals"] as Row[];
    assert.deepEqual([pending?.["tool_name"], "input" in (pending ?? {})], ["ring", false]);
    const seen = await ask(ada, { action: "attach", run_id: waiting.body["run_id"], stream: false });
    assert.deepEqual((seen.body["pending_approvals"] as Row[])[0]?.["input"], { note: "now" });
    const decision = { tool_execution_id: pending?.["tool_execution_id"], approved, reason: "because" };
    const approve = { action: "approve", run_id: waiting.body["run_id"], decisions: [decision] };
    await assertRunRejected(ask(bob, approve), 403, "FORBIDDEN");
    await assertRunRejected(ask(stranger, approve), 404, "RUN_NOT_FOUND");
    const decided = await ask(ada, approve);
    assert.equal(decided.status, 200);
    assert.ok(["running", "completed"].includes(String(decided.body["status"])), decided.text);
    await assertRunRejected(ask(ada, approve), 409, "APPROVAL_DECIDED");
    const { status } = await waitForRun(ada, String(waiting.body["run_id"]));
    assert.equal(status, "completed");
    const [execution] = await read(ada, `/tool_executions?id=eq.${String(decision.tool_execution_id)}`);
    assert.deepEqual([execution?.["status"], execution?.["decided_by"]], [approved ? "succeeded" : "denied", ada.id]);
  }
  assert.equal(endpoint.received.length, 1);
});
