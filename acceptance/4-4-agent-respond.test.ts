import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, describe, test } from "node:test";
import { ok } from "./support/clients.ts";
import { eventually } from "./support/eventually.ts";
import { newPerson, onlyRow, openServiceRole, type Person, type Row, type TableAnswer } from "./support/people.ts";
import { type Receiver, startReceiver } from "./support/receiver.ts";
import { assertValidationBody, refusalOf } from "./support/refusals.ts";
import { add, change, read, respond, type Run, SIMULATED, seatAgent } from "./support/rooms.ts";
import { IS_SERVICE_GIVEN, type Service, startOwnService } from "./support/service.ts";
import { type AskStream, type Frame, openStream, streamsOf } from "./support/streams.ts";

const FUNCTION = "POST /functions/v1/agent-respond";
const ENDED = ["completed", "partial", "failed", "cancelled"];

let service: Service;
let receiver: Receiver;
let ada: Person;
let bob: Person;
let stranger: Person;
let admin: Pick<Person, "client" | "send">;
let stream: AskStream;
let swarm: string;
let agent: string;

type Sender = Pick<Person, "send">;

function call({ send }: Sender, body: Row, headers: Record<string, string> = {}): Promise<TableAnswer> {
  return send(FUNCTION, { body, headers });
}

async function seat(person: Person, role: string): Promise<void> {
  const member = await add(ada, "swarm_members", { swarm_id: swarm, user_id: person.id, role });
  await change(person, "swarm_members", member, { status: "active" });
}

/** A run in the background, as it was accepted. */
async function begin(message: string, more: Row = {}): Promise<Run> {
  const { status, text, body } = await call(ada, { swarm_id: swarm, message, background: true, ...more });
  assert.equal(status, 202, text);
  return body as Run;
}

/** The same once its agent has read what was said: what comes later is for later turns. */
async function beginTurn(message: string): Promise<Run> {
  const run = await begin(message);
  await eventually(
    () => read(ada, `/run_turns?run_id=eq.${run.run_id}`),
    ({ length }) => length > 0,
    "a turn",
  );
  return run;
}

function waitForRun(runId: string): Promise<Row> {
  return eventually(async () => onlyRow(await ada.send(`GET /runs?id=eq.${runId}`)), isEnded, `the run ${runId}`);
}

function isEnded({ status }: Row): boolean {
  return ENDED.includes(String(status));
}

function eventsOf(frames: readonly Frame[]): string[] {
  return frames.map(({ event }) => event);
}

async function assertRefused(asked: Promise<TableAnswer>, status: number, code: string): Promise<TableAnswer> {
  const answer = await asked;
  const refused = refusalOf(answer);
  assert.deepEqual([refused.status, refused.code], [status, code], answer.text);
  return answer;
}

describe("4.4 agent-respond", { skip: IS_SERVICE_GIVEN && "needs settings of its own" }, () => {
  before(async () => {
    service = await startOwnService({ ...SIMULATED, AGENT_QUEUE_WAIT_SECONDS: "1", AGENT_QUEUE_LIMIT: "3" });
    receiver = await startReceiver(service);
    [ada, bob, stranger] = [await newPerson(service), await newPerson(service), await newPerson(service)];
    admin = openServiceRole(service);
    stream = streamsOf(service, ada);
  });
  after(async () => {
    await receiver?.stop();
    await service?.stop();
  });
  beforeEach(async () => {
    swarm = await add(ada, "swarms", { name: "Room" });
    agent = await seatAgent(ada, swarm, "Ann");
  });

  describe("4.4 the answer", () => {
    test("4.4 has the message, the replies and what they cost", async () => {
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

    test("4.4 is an error with the run in it when nobody could answer, and partial when somebody could", async () => {
      for (const [failure, status, code] of [
        ["5xx", 502, "PROVIDER_ERROR"],
        ["timeout", 504, "PROVIDER_TIMEOUT"],
      ] as const) {
        const { body, headers } = await assertRefused(
          call(ada, { swarm_id: swarm, message: `Go\n/fail ${failure}` }),
          status,
          code,
        );
        const run = body["run"] as Run;
        assert.deepEqual([run.status, run.responses.length], ["failed", 0]);
        assert.equal(headers["x-run-id"], run.run_id);
      }
      await seatAgent(ada, swarm, "Ben");
      const run = await respond(ada, swarm, "Go\n/fail 5xx Ann");
      assert.deepEqual([run.status, run.responses.length, (run["errors"] as Row[]).length], ["partial", 1, 1]);
    });

    test("4.4 comes at once in the background, and the run goes on", async () => {
      const accepted = await begin("Later");
      assert.ok(!ENDED.includes(accepted.status));
      const { stop_reason: reason } = await waitForRun(accepted.run_id);
      assert.equal(reason, "all_replied");
    });
  });

  describe("4.4 the stream", () => {
    test("4.4 tells of a run in order, and its deltas make up the message", async () => {
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
      const ids = frames.slice(0, -1).map(({ id }) => id);
      assert.deepEqual(
        ids,
        [...new Set(ids)].toSorted((one, other) => one - other),
      );
      const deltas = frames.filter(({ event }) => event === "message.delta").map(({ data }) => data["delta"]);
      const end = frames.find(({ event }) => event === "run.completed")?.data as Run;
      const message = end.responses[0]?.["message"] as Row;
      assert.equal(deltas.join(""), message["content"]);
    });

    test("4.4 is replayed, exactly once each, after the event that was seen last", async () => {
      const asked = await stream({ swarm_id: swarm, message: "Tell me" });
      const whole = await asked.rest();
      const runId = asked.headers.get("x-run-id");
      assert.deepEqual(await (await stream({ action: "attach", run_id: runId })).rest(), whole);
      const middle = whole[Math.floor(whole.length / 2)]?.id ?? 0;
      const after = whole.filter(({ id, event }) => id > middle || event === "done");
      assert.deepEqual(await (await stream({ action: "attach", run_id: runId, last_event_id: middle })).rest(), after);
      assert.deepEqual(
        await (await stream({ action: "attach", run_id: runId }, { "last-event-id": String(middle) })).rest(),
        after,
      );
    });

    test("4.4 can be left and taken up again while the run goes on, also by the client library", async () => {
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

    test("4.4 ends the run with it where that was asked for, and only there", async () => {
      for (const [on_disconnect, wanted] of [
        ["cancel", "cancelled"],
        ["continue", "completed"],
      ]) {
        const asked = await stream({ swarm_id: swarm, message: "Slowly\n/sleep 700", on_disconnect });
        await asked.until("turn.started");
        await asked.leave();
        const { status } = await waitForRun(asked.headers.get("x-run-id") ?? "");
        assert.equal(status, wanted);
      }
    });
  });

  describe("4.4 the same call again", () => {
    test("4.4 is the same run, as JSON or as a stream", async () => {
      const body = { swarm_id: swarm, message: "Once" };
      const key = { "idempotency-key": randomUUID() };
      const first = await call(ada, body, key);
      const again = await call(ada, body, key);
      assert.deepEqual([again.status, again.body], [first.status, first.body]);
      assert.equal(again.headers["idempotent-replayed"], "true");
      const frames = await (await stream(body, key)).rest();
      assert.equal(frames.at(-1)?.data["run_id"], first.body["run_id"]);
      assert.equal((await read(ada, `/runs?swarm_id=eq.${swarm}`)).length, 1);
      await assertRefused(call(ada, { ...body, message: "Twice" }, key), 422, "IDEMPOTENCY_KEY_REUSED");
    });

    test("4.4 at the same time is one run too", async () => {
      const body = { swarm_id: swarm, message: "Once\n/sleep 100" };
      const key = { "idempotency-key": randomUUID() };
      const answers = await Promise.all([1, 2, 3, 4].map(() => call(ada, body, key)));
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
      assert.equal(new Set(answers.map(({ body: run }) => run["run_id"])).size, 1);
    });
  });

  describe("4.4 a busy swarm", () => {
    test("4.4 answers one after another, in order, and lets go who waits too long", async () => {
      const first = await beginTurn("First\n/sleep 1500");
      const second = await begin("Second");
      const third = await call(ada, { swarm_id: swarm, message: "Third" });
      assert.deepEqual([second.status, third.status, third.body["status"]], ["queued", 202, "queued"]);
      const ids = [first.run_id, second.run_id, String(third.body["run_id"])];
      const runs = await Promise.all(ids.map((id) => waitForRun(id)));
      const starts = runs.map(({ started_at }) => Date.parse(String(started_at)));
      assert.deepEqual(
        starts,
        starts.toSorted((one, other) => one - other),
      );
      for (const [at, run] of runs.entries()) {
        const before = runs[at - 1];
        if (before !== undefined)
          assert.ok(Date.parse(String(before["finished_at"])) <= Date.parse(String(run["started_at"])));
      }
    });

    test("4.4 refuses on request, and when too many wait", async () => {
      const { run_id: runId } = await beginTurn("First\n/sleep 3000");
      const busy = await assertRefused(
        call(ada, { swarm_id: swarm, message: "Now", on_conflict: "reject" }),
        409,
        "SWARM_BUSY",
      );
      assert.ok(Number(busy.headers["retry-after"]) > 0);
      for (let count = 0; count < 3; count += 1) await begin("Patient");
      await assertRefused(call(ada, { swarm_id: swarm, message: "Too many" }), 409, "SWARM_BUSY");
      await call(ada, { action: "cancel", run_id: runId });
    });

    test("4.4 can be interrupted", async () => {
      const { run_id: runId } = await beginTurn("First\n/sleep 5000");
      const run = await respond(ada, swarm, "Urgent", { on_conflict: "interrupt" });
      assert.equal(run.status, "completed");
      const { status, stop_reason: reason } = await waitForRun(runId);
      assert.deepEqual([status, reason], ["cancelled", "interrupted"]);
    });
  });

  test("4.4 cancel ends a run at once, and the agents are free again", async () => {
    const asked = await stream({ swarm_id: swarm, message: "Slowly\n/sleep 20000" });
    await asked.until("turn.started");
    const { status, body } = await call(ada, { action: "cancel", run_id: asked.headers.get("x-run-id") });
    assert.deepEqual([status, body["status"], body["stop_reason"]], [200, "cancelled", "cancelled"]);
    assert.deepEqual(eventsOf(await asked.rest()).slice(-2), ["run.cancelled", "done"]);
    assert.equal(onlyRow(await ada.send(`GET /agents?id=eq.${agent}`))["status"], "idle");
  });

  test("4.4 a tool call that needs an approval waits for the agent's owner", async () => {
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
      input_schema: { type: "object", properties: {} },
      config: { method: "GET", url: endpoint.url },
      requires_approval: true,
    });
    await add(ada, "agent_tools", { agent_id: agent, tool_id });
    await seat(bob, "member");
    for (const approved of [true, false]) {
      const waiting = await call(bob, { swarm_id: swarm, message: "Ring\n/tool ring {}" });
      assert.deepEqual([waiting.status, waiting.body["status"]], [202, "requires_action"], waiting.text);
      const [pending] = waiting.body["pending_approvals"] as Row[];
      assert.equal(pending?.["tool_name"], "ring");
      const decision = { tool_execution_id: pending?.["tool_execution_id"], approved, reason: "because" };
      const approve = { action: "approve", run_id: waiting.body["run_id"], decisions: [decision] };
      await assertRefused(call(bob, approve), 403, "FORBIDDEN");
      await assertRefused(call(stranger, approve), 404, "RUN_NOT_FOUND");
      assert.equal((await call(ada, approve)).status, 200);
      await assertRefused(call(ada, approve), 409, "APPROVAL_DECIDED");
      const { status } = await waitForRun(String(waiting.body["run_id"]));
      assert.equal(status, "completed");
      const [execution] = await read(ada, `/tool_executions?id=eq.${String(decision.tool_execution_id)}`);
      assert.deepEqual([execution?.["status"], execution?.["decided_by"]], [approved ? "succeeded" : "denied", ada.id]);
    }
    assert.equal(endpoint.received.length, 1);
  });

  test("4.4 auto_respond answers a message that was only stored", async () => {
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

  describe("4.4 who may ask", () => {
    test("4.4 members may, viewers may not, and strangers see no swarm", async () => {
      const body = { swarm_id: swarm, message: "Hi" };
      await assertRefused(call(stranger, body), 404, "SWARM_NOT_FOUND");
      await assertRefused(call(stranger, { ...body, swarm_id: randomUUID() }), 404, "SWARM_NOT_FOUND");
      await seat(bob, "viewer");
      await assertRefused(call(bob, body), 403, "FORBIDDEN");
      const run = await respond(ada, swarm, "Hi");
      assert.equal((await call(bob, { action: "attach", run_id: run.run_id, stream: false })).status, 200);
      await assertRefused(call(stranger, { action: "attach", run_id: run.run_id }), 404, "RUN_NOT_FOUND");
      await assertRefused(call(bob, { action: "cancel", run_id: run.run_id }), 403, "FORBIDDEN");
      await assertRefused(call(ada, { ...body, user_id: bob.id }), 403, "FORBIDDEN");
    });

    test("4.4 the service role names for whom it speaks", async () => {
      const body = { swarm_id: swarm, message: "Hi" };
      assertValidationBody(await call(admin, body), ["user_id"]);
      assertValidationBody(await call(admin, { ...body, user_id: randomUUID() }), ["user_id"]);
      const run = await respond(admin, swarm, "Hi", { user_id: bob.id });
      assert.equal((run["message"] as Row)["sender_id"], bob.id);
      const [usage] = await read(admin, `/usage_records?run_id=eq.${run.run_id}`);
      assert.equal(usage?.["payer_id"], bob.id);
    });

    test("4.4 only an active swarm with agents is asked", async () => {
      const body = { swarm_id: swarm, message: "Hi" };
      for (const status of ["paused", "completed", "archived"]) {
        await change(ada, "swarms", swarm, { status });
        await assertRefused(call(ada, body), 409, "SWARM_NOT_ACTIVE");
      }
      await assertRefused(
        call(ada, { ...body, swarm_id: await add(ada, "swarms", { name: "Empty" }) }),
        400,
        "NO_AGENTS",
      );
      assert.deepEqual(await read(ada, `/messages?swarm_id=eq.${swarm}`), []);
    });

    test("4.4 what is not valid is told field by field", async () => {
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
        [{ action: "explode", run_id: randomUUID() }, ["action"]],
        [{ action: "approve", run_id: randomUUID(), decisions: [] }, ["decisions"]],
      ];
      for (const [body, fields] of cases) assertValidationBody(await call(ada, body), fields);
      const deep = `{"swarm_id":"${swarm}","message":"Hi","metadata":{"a":${"[".repeat(9_000)}${"]".repeat(9_000)}}}`;
      assertValidationBody(await ada.send(FUNCTION, { body: deep }), ["metadata"]);
      await assertRefused(call(ada, { action: "cancel", run_id: randomUUID() }), 404, "RUN_NOT_FOUND");
    });
  });
});

describe("4.4 agent-respond with few answers", { skip: IS_SERVICE_GIVEN && "needs settings of its own" }, () => {
  test("4.4 an answer that is started counts; what is steered or seen again does not; a stop lets readers go", async (t) => {
    const own = await startOwnService({ ...SIMULATED, LIMIT_AI: "2", STOP_TIMEOUT_MS: "5000" });
    let isStopped = false;
    t.after(async () => {
      if (!isStopped) await own.stop();
    });
    const carl = await newPerson(own);
    const room = await add(carl, "swarms", { name: "Room" });
    await seatAgent(carl, room, "Ann");
    const body = { swarm_id: room, message: "Hi" };
    const key = { "idempotency-key": randomUUID() };
    const first = await call(carl, body, key);
    assert.deepEqual([first.status, first.headers["x-ratelimit-remaining"]], [200, "1"]);
    assert.equal((await call(carl, body, key)).status, 200);
    await assertRefused(call(carl, { ...body, swarm_id: randomUUID() }), 404, "SWARM_NOT_FOUND");

    const ask = streamsOf(own, carl);
    const asked = await ask({ swarm_id: room, message: "Slowly\n/sleep 60000" });
    await asked.until("turn.started");
    const refused = await assertRefused(call(carl, body), 429, "RATE_LIMITED");
    assert.equal(refused.headers["x-ratelimit-limit"], "2");
    assert.ok(Number(refused.headers["retry-after"]) > 0);
    const attached = await ask({ action: "attach", run_id: asked.headers.get("x-run-id") });
    assert.equal(attached.status, 200);

    const stopping = own.stop();
    isStopped = true;
    for (const one of [asked, attached]) assert.ok(!eventsOf(await one.rest()).includes("done"));
    await stopping;
  });
});
