import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, test } from "node:test";
import { ask, assertRunRejected, startRun, startTurn, eventsOf, openSwarm, waitForRun } from "./support/runs.ts";
import { ok } from "./support/clients.ts";
import { eventually } from "./support/eventually.ts";
import { newPerson, onlyRow, type Person, type Row } from "./support/people.ts";
import { add, change, read, respond, type Run, SIMULATED, addSwarmAgent } from "./support/swarms.ts";
import { type Service, startService } from "./support/service.ts";
import { type AskStream, openStream, streamsOf } from "./support/streams.ts";

let service: Service;
let ada: Person;
let stream: AskStream;
let swarm: string;
let agent: string;
before(async () => {
  service = await startService(SIMULATED);
  ada = await newPerson(service);
  stream = streamsOf(service, ada);
});
after(() => service?.stop());
beforeEach(async () => {
  ({ swarm, agent } = await openSwarm(ada));
});

test("4.4 the response has the message, the replies and their usage", async () => {
  const invoked = await ada.client.functions.invoke<Run>("agent-respond", {
    body: { swarm_id: swarm, message: "Hi" },
  });
  const run = ok(invoked) as Run;
  assert.deepEqual([run.status, run["stop_reason"], run["swarm_id"]], ["completed", "all_replied", swarm]);
  const message = run["message"] as Row;
  assert.deepEqual([message["content"], message["sender_id"]], ["Hi", ada.id]);
  const [reply] = run.responses;
  assert.deepEqual([reply?.["agent_id"], reply?.["agent_name"], reply?.["finish_reason"]], [agent, "Ann", "stop"]);
  assert.match(String((reply?.["message"] as Row | undefined)?.["content"]), /^\[simulated\]/);
  const usage = run["usage"] as Row;
  assert.equal(Number(usage["total_tokens"]), Number(usage["input_tokens"]) + Number(usage["output_tokens"]));
  const stored = await read(ada, `/messages?swarm_id=eq.${swarm}&order=seq`);
  assert.deepEqual(
    stored.map(({ sender_type, run_id }) => [sender_type, run_id]),
    [
      ["user", null],
      ["agent", run.run_id],
    ],
  );
});

test("4.4 agent_id instead of swarm_id: the agent answers in a private swarm of the caller", async () => {
  const [first, second] = await Promise.all(["One", "Two"].map((message) => ask(ada, { agent_id: agent, message })));
  const own = String(first?.body["swarm_id"]);
  assert.deepEqual([first?.status, second?.status, second?.body["swarm_id"]], [200, 200, own]);
  assert.notEqual(own, swarm);
  const [listed] = await read(ada, `/swarms?id=eq.${own}&select=name,owner_id,swarm_agents(agent_id)`);
  const { name, ...parts } = listed ?? {};
  assert.match(String(name), /^(One|Two)$/);
  assert.deepEqual(parts, { owner_id: ada.id, swarm_agents: [{ agent_id: agent }] });
  const stored = await read(ada, `/messages?swarm_id=eq.${own}&sender_type=eq.agent`);
  assert.equal(stored.length, 2);

  const frames = await (await stream({ agent_id: agent, message: "Three" })).rest();
  const ended = frames.find(({ event }) => event === "run.completed");
  assert.equal(ended?.data["swarm_id"], own);
  const rejections: [body: Row, details: unknown][] = [
    [{ message: "Hi" }, { swarm_id: "is required" }],
    [{ message: "Hi", swarm_id: swarm, agent_id: agent }, { agent_id: "cannot be combined with swarm_id" }],
    [{ message: "Hi", agent_id: "Ann" }, { agent_id: "must be a UUID" }],
  ];
  for (const [body, details] of rejections) {
    const { body: error } = await assertRunRejected(ask(ada, body), 400, "VALIDATION_ERROR");
    assert.deepEqual(error["details"], details);
  }
  await assertRunRejected(ask(ada, { agent_id: randomUUID(), message: "Hi" }), 404, "AGENT_NOT_FOUND");
  const stranger = await newPerson(service);
  await assertRunRejected(ask(stranger, { agent_id: agent, message: "Hi" }), 403, "PERMISSION_DENIED");
  assert.deepEqual(await read(stranger, "/swarms"), []);

  ok(await ada.client.from("swarms").delete().eq("id", own));
  const next = await ask(ada, { agent_id: agent, message: "Four" });
  assert.deepEqual([next.status, next.body["swarm_id"] === own], [200, false]);
});

test("4.4 a call with its own conversation can override the provider, the model and the system prompt of its agent", async () => {
  const call = { agent_id: agent, messages: [{ role: "user", content: "Hi" }], store: true };
  const { status, body } = await ask(ada, { ...call, framework: "provider_b", system_prompt: "Speak like a sailor." });
  assert.deepEqual([status, (body as Run).responses[0]?.["framework"]], [200, "provider_b"]);
  const [sent] = await read(ada, `/model_calls?run_id=eq.${String(body["run_id"])}&select=model_call_prompts(system)`);
  assert.match(JSON.stringify(sent), /Speak like a sailor\./);
  const [kept] = await read(ada, `/agents?id=eq.${agent}&select=framework,system_prompt,agent_versions(number)`);
  assert.deepEqual(kept, { framework: "provider_a", system_prompt: null, agent_versions: [{ number: 1 }] });
  const rejections: [overrides: Row, code: string, details: unknown][] = [
    [
      { framework: "provider_x" },
      "VALIDATION_ERROR",
      { framework: "must be one of provider_a, provider_b, provider_c" },
    ],
    [
      { system_prompt: "x".repeat(100_001) },
      "VALIDATION_ERROR",
      { system_prompt: "must have at most 100000 characters" },
    ],
    [{ model: "x".repeat(201) }, "VALIDATION_ERROR", { model: "must have at most 200 characters" }],
  ];
  for (const [overrides, code, details] of rejections) {
    const { body: error } = await assertRunRejected(ask(ada, { ...call, ...overrides }), 400, code);
    assert.deepEqual(error["details"], details);
  }
});

test("4.4 the response is an error with the run when no agent could answer, and partial when some could", async () => {
  for (const [failure, status, code] of [
    ["5xx", 502, "PROVIDER_ERROR"],
    ["timeout", 504, "PROVIDER_TIMEOUT"],
  ] as const) {
    const { body, headers } = await assertRunRejected(
      ask(ada, { swarm_id: swarm, message: `Go\n/fail ${failure}` }),
      status,
      code,
    );
    const run = body["run"] as Run;
    assert.deepEqual([run.status, run.responses.length], ["failed", 0]);
    assert.equal(headers["x-run-id"], run.run_id);
  }
  await addSwarmAgent(ada, swarm, "Ben");
  const run = await respond(ada, swarm, "Go\n/fail 5xx Ann");
  assert.deepEqual([run.status, run.responses.length, (run["errors"] as Row[]).length], ["partial", 1, 1]);
});

test("4.4 a background run returns 202 before it ends, and continues", async () => {
  // The run before it ends only when the test says so.
  const first = await startTurn(ada, swarm, "First\n/sleep 60000");
  const accepted = await startRun(ada, swarm, "Later");
  assert.equal(accepted.status, "queued");
  await ask(ada, { action: "cancel", run_id: first.run_id });
  const { stop_reason: reason } = await waitForRun(ada, accepted.run_id);
  assert.equal(reason, "all_replied");
});

test("4.4 a repeated call with the same Idempotency-Key returns the same run, as JSON or as a stream", async () => {
  const body = { swarm_id: swarm, message: "Once" };
  const key = { "idempotency-key": randomUUID() };
  const first = await ask(ada, body, key);
  const again = await ask(ada, body, key);
  assert.deepEqual([again.status, again.body], [first.status, first.body]);
  assert.equal(again.headers["idempotent-replayed"], "true");
  const frames = await (await stream(body, key)).rest();
  assert.equal(frames.at(-1)?.data["run_id"], first.body["run_id"]);
  assert.equal((await read(ada, `/runs?swarm_id=eq.${swarm}`)).length, 1);
  await assertRunRejected(ask(ada, { ...body, message: "Twice" }, key), 422, "IDEMPOTENCY_KEY_REUSED");
});

test("4.4 simultaneous calls with the same Idempotency-Key start one run", async () => {
  const body = { swarm_id: swarm, message: "Once\n/sleep 100" };
  const key = { "idempotency-key": randomUUID() };
  const answers = await Promise.all([1, 2, 3, 4].map(() => ask(ada, body, key)));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  assert.equal(new Set(answers.map(({ body: run }) => run["run_id"])).size, 1);
});

test("4.4 cancel ends a run at once, and its agents can answer again", async () => {
  const asked = await stream({ swarm_id: swarm, message: "Slowly\n/sleep 20000" });
  await asked.until("turn.started");
  const { status, body } = await ask(ada, { action: "cancel", run_id: asked.headers.get("x-run-id") });
  assert.deepEqual([status, body["status"], body["stop_reason"]], [200, "cancelled", "cancelled"]);
  assert.deepEqual(eventsOf(await asked.rest()).slice(-2), ["run.cancelled", "done"]);
  assert.equal(onlyRow(await ada.send(`GET /agents?id=eq.${agent}`))["status"], "idle");
});

test("4.4 with auto_respond, agents answer a message that was inserted into messages", async () => {
  await change(ada, "swarms", swarm, { settings: { auto_respond: true } });
  await add(ada, "messages", { swarm_id: swarm, content: "Anybody there?" });
  const messages = await eventually(
    () => read(ada, `/messages?swarm_id=eq.${swarm}&order=seq`),
    ({ length }) => length === 2,
    "the reply",
  );
  assert.equal(messages[1]?.["sender_id"], agent);
  assert.equal((await respond(ada, swarm, "Once more")).responses.length, 1);
  assert.equal((await read(ada, `/runs?swarm_id=eq.${swarm}`)).length, 2);
});

test("4.4 the stream has the events of a run in order, and its deltas add up to the message", async () => {
  const asked = await stream({ swarm_id: swarm, message: "Tell me" });
  assert.equal(asked.status, 200);
  assert.match(asked.headers.get("content-type") ?? "", /^text\/event-stream/);
  assert.equal(asked.headers.get("cache-control"), "no-cache, no-transform");
  assert.equal(asked.headers.get("x-accel-buffering"), "no");
  const frames = await asked.rest();
  // The first words are shown before it is stored that they came.
  assert.deepEqual(
    eventsOf(frames).filter((event) => event !== "message.delta"),
    [
      "message.created",
      "run.started",
      "turn.started",
      "agent.status_changed",
      "agent.status_changed",
      "message.created",
      "turn.completed",
      "agent.status_changed",
      "run.completed",
      "done",
    ],
  );
  const runId = asked.headers.get("x-run-id");
  for (const { id, data } of frames) assert.deepEqual([data["seq"], data["run_id"]], [id, runId]);
  const ids = frames.map(({ id }) => id);
  assert.deepEqual(
    ids,
    [...new Set(ids)].toSorted((one, other) => one - other),
  );
  const deltas = frames.filter(({ event }) => event === "message.delta").map(({ data }) => data["delta"]);
  const end = frames.find(({ event }) => event === "run.completed")?.data as Run;
  const message = end.responses[0]?.["message"] as Row;
  assert.equal(deltas.join(""), message["content"]);
});

test("4.4 attaching replays each event after Last-Event-ID exactly once", async () => {
  const asked = await stream({ swarm_id: swarm, message: "Tell me" });
  const whole = await asked.rest();
  const runId = asked.headers.get("x-run-id");
  assert.deepEqual(await (await stream({ action: "attach", run_id: runId })).rest(), whole);
  const middle = whole[Math.floor(whole.length / 2)]?.id ?? 0;
  const after = whole.filter(({ id }) => id > middle);
  assert.deepEqual(await (await stream({ action: "attach", run_id: runId, last_event_id: middle })).rest(), after);
  assert.deepEqual(
    await (await stream({ action: "attach", run_id: runId }, { "last-event-id": String(middle) })).rest(),
    after,
  );
  const done = String(whole.at(-1)?.id);
  assert.deepEqual(await (await stream({ action: "attach", run_id: runId }, { "last-event-id": done })).rest(), []);
});

test("4.4 a client can leave the stream and attach again while the run continues, also with the client library", async () => {
  const asked = await stream({ swarm_id: swarm, message: "Slowly\n/sleep 300" });
  const seen = await asked.until("turn.started");
  await asked.leave();
  const { data } = await ada.client.functions.invoke("agent-respond", {
    body: { action: "attach", run_id: asked.headers.get("x-run-id"), last_event_id: seen.at(-1)?.id },
  });
  const later = await openStream(data as Response).rest();
  assert.deepEqual(eventsOf(later).slice(-2), ["run.completed", "done"]);
  assert.ok(later.every(({ id }) => id > (seen.at(-1)?.id ?? 0)));
});

test("4.4 closing the stream cancels the run only with on_disconnect cancel", async () => {
  for (const [on_disconnect, sleepMs, expected] of [
    ["cancel", 20_000, "cancelled"],
    ["continue", 700, "completed"],
  ]) {
    const asked = await stream({ swarm_id: swarm, message: `Slowly\n/sleep ${sleepMs}`, on_disconnect });
    await asked.until("turn.started");
    await asked.leave();
    const { status } = await waitForRun(ada, asked.headers.get("x-run-id") ?? "");
    assert.equal(status, expected);
  }
});

test("4.4 unknown members of the body are listed in warnings of the response and of the stream", async () => {
  const body = { swarm_id: swarm, message: "Hi", maxTurns: 1 };
  const warnings = ["Unknown member `maxTurns`; perhaps you meant `max_turns`."];
  const answer = await ask(ada, body);
  assert.deepEqual([answer.status, answer.body["status"], answer.body["warnings"]], [200, "completed", warnings]);
  const frames = await (await stream(body)).rest();
  const [first, ...rest] = frames;
  assert.deepEqual([first?.event, first?.data], ["warnings", { warnings }]);
  assert.ok(Number.isNaN(first?.id), "it is no event of the run, and has no id");
  assert.equal(rest.at(-1)?.event, "done");
});
