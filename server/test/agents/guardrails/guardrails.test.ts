import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type GuardrailRequest, verifyWebhook } from "@swarmbase/sdk";
import { WAIT_MS } from "../../support/wait-limit.ts";
import { CHECKER, type GuardedService, type Person, startGuardedService } from "./guarded-service.ts";

// Through public surfaces: the program with a provider and a webhook receiver on loopback.

const NO_CARDS = { pattern: "[0-9]{4}(-[0-9]{4}){3}" };
const CARD = "4111-1111-1111-1111";
const RESPOND = "POST /functions/v1/agent-respond";

let service: GuardedService;
let ada: Person;
let bob: Person;
before(async () => {
  service = await startGuardedService();
  ada = await service.signUp("ada");
  bob = await service.signUp("bob");
});
after(() => service.close());
beforeEach(() => {
  service.reply = "Hello.";
  service.isHanging = false;
  service.webhookAnswer = { allowed: true };
  service.asked.length = 0;
  service.received.length = 0;
});

interface Room {
  readonly agentId: string;
  readonly swarmId: string;
}

async function openRoom(strategy = "round_robin", settings: object = {}): Promise<Room> {
  const { id: agentId } = await ada.one("POST /rest/v1/agents", { name: "Clerk", settings });
  const { id: swarmId } = await ada.one("POST /rest/v1/swarms", { name: "Office", strategy });
  await ada.one("POST /rest/v1/swarm_agents", { swarm_id: swarmId, agent_id: agentId });
  return { agentId, swarmId };
}

const guard = (row: object) => ada.one("POST /rest/v1/guardrails", { name: "Cards", kind: "pattern", ...row });

const flagsIn = ({ swarmId }: Room) =>
  ada.call(`GET /rest/v1/message_flags?swarm_id=eq.${swarmId}&order=created_at`).then(([, rows]) => rows);

const messagesIn = ({ swarmId }: Room) =>
  ada.call(`GET /rest/v1/messages?swarm_id=eq.${swarmId}&order=seq`).then(([, rows]) => rows);

const say = ({ swarmId }: Room, message: string) => ada.call(RESPOND, { swarm_id: swarmId, message });

const textOf = (body: { messages: readonly { content: unknown }[] }): string => JSON.stringify(body.messages);

describe("the rows of guardrails", () => {
  test("are made, read, changed and deleted by the owner of the agent alone", async () => {
    const { agentId, swarmId } = await openRoom();
    const made = await guard({ agent_id: agentId, stage: "input", config: NO_CARDS });
    assert.deepEqual(
      [made.action, made.position, made.is_active, made.secret, made.swarm_id],
      ["block", 0, true, null, null],
    );
    const line = `/rest/v1/guardrails?id=eq.${made.id}`;
    assert.deepEqual(await bob.call(`GET ${line}`), [200, []]);
    assert.deepEqual(await bob.call(`PATCH ${line}`, { is_active: false }), [200, []]);
    assert.deepEqual(await bob.call(`DELETE ${line}`), [200, []]);
    const row = { name: "Mine", kind: "pattern", stage: "input", config: NO_CARDS };
    const [status, body] = await bob.call("POST /rest/v1/guardrails", { ...row, agent_id: agentId });
    assert.deepEqual([status, body.code], [403, "PERMISSION_DENIED"]);
    const [other, reason] = await bob.call("POST /rest/v1/guardrails", { ...row, swarm_id: swarmId });
    assert.deepEqual([other, reason.code], [403, "FORBIDDEN"]);
    const [missing, gone] = await bob.call("POST /rest/v1/guardrails", { ...row, agent_id: bob.id });
    assert.deepEqual([missing, gone.code], [404, "AGENT_NOT_FOUND"]);
    // A row can be sent back as it was read, with one change.
    assert.equal((await ada.one(`PATCH ${line}`, { ...made, name: " Numbers " })).name, "Numbers");
    assert.equal((await ada.call(`DELETE ${line}`))[0], 200);
  });

  test("of a swarm belong to its owner and admins", async () => {
    const { swarmId } = await openRoom();
    await ada.one("POST /rest/v1/swarm_members", { swarm_id: swarmId, user_id: bob.id, role: "member" });
    await bob.one(`PATCH /rest/v1/swarm_members?swarm_id=eq.${swarmId}&user_id=eq.${bob.id}`, { status: "active" });
    await guard({ swarm_id: swarmId, stage: "output", config: NO_CARDS });
    const line = `GET /rest/v1/guardrails?swarm_id=eq.${swarmId}`;
    assert.deepEqual(await bob.call(line), [200, []]);
    await ada.one(`PATCH /rest/v1/swarm_members?swarm_id=eq.${swarmId}&user_id=eq.${bob.id}`, { role: "admin" });
    assert.equal((await bob.call(line))[1].length, 1);
  });

  test("are checked for their kind, and explain what is wrong", async () => {
    const { agentId: agent_id, swarmId: swarm_id } = await openRoom();
    const row = { agent_id, name: "Bad", stage: "input" };
    const cases: readonly (readonly [object, string])[] = [
      [{ ...row, kind: "pattern", config: {} }, "config"],
      [{ ...row, kind: "pattern", config: { pattern: "(a)\\1" } }, "config.pattern"],
      [{ ...row, kind: "pattern", config: { pattern: "a*" } }, "config.pattern"],
      [{ ...row, kind: "pattern", config: { pattern: "a", on_error: "pass" } }, "config.on_error"],
      [{ ...row, kind: "schema", config: { pattern: "a" } }, "config.schema"],
      [{ ...row, kind: "schema", config: { schema: { type: "no such type" } } }, "config.schema"],
      [{ ...row, kind: "model", config: { policy: "x", framework: "provider_z" } }, "config.framework"],
      [{ ...row, kind: "webhook", config: { url: "http://example.com" } }, "config.url"],
      [{ ...row, kind: "webhook", config: { url: "https://10.0.0.1/" } }, "config.url"],
      [{ ...row, kind: "webhook", config: { url: "https://example.com", timeout_ms: 5 } }, "config.timeout_ms"],
      [
        { ...row, kind: "webhook", config: { url: "https://example.com", headers: { Host: "x" } } },
        "config.headers.Host",
      ],
      [{ ...row, kind: "regex", config: NO_CARDS }, "kind"],
      [{ ...row, kind: "pattern", config: NO_CARDS, swarm_id }, "agent_id"],
      [{ ...row, kind: "pattern", config: NO_CARDS, agent_id: null }, "agent_id"],
    ];
    for (const [sent, field] of cases) {
      const [status, body] = await ada.call("POST /rest/v1/guardrails", sent);
      assert.equal(status, 400, JSON.stringify(sent));
      assert.deepEqual(Object.keys(body.details), [field], JSON.stringify([sent, body]));
    }
    const { id } = await guard({ agent_id, stage: "input", config: NO_CARDS });
    const [, { details }] = await ada.call(`PATCH /rest/v1/guardrails?id=eq.${id}`, { config: { schema: {} } });
    assert.deepEqual(Object.keys(details), ["config"]);
    const many = Array.from({ length: 20 }, () => ({ ...row, kind: "pattern", config: NO_CARDS }));
    const [status, body] = await ada.call("POST /rest/v1/guardrails", many);
    assert.deepEqual([status, body.code], [400, "VALIDATION_ERROR"]);
    assert.match(body.message, /at most 20 guardrails/);
  });
});

describe("an input guardrail", () => {
  test("that blocks ends the turn before the model is asked, flags the message, and keeps it from later turns", async () => {
    const room = await openRoom();
    const { id } = await guard({ agent_id: room.agentId, stage: "input", config: NO_CARDS });
    const [status, body] = await say(room, `Pay with ${CARD}`);
    assert.deepEqual([status, body.code, body.run.stop_reason], [400, "GUARDRAIL_BLOCKED", "content_filtered"]);
    assert.equal(body.message, 'The guardrail "Cards" blocked the message');
    assert.equal(service.asked.length, 0);
    const [turn] = (await ada.call(`GET /rest/v1/run_turns?run_id=eq.${body.run.run_id}`))[1];
    assert.deepEqual(
      [turn.status, turn.finish_reason, turn.error.code],
      ["failed", "content_filter", "GUARDRAIL_BLOCKED"],
    );

    assert.equal((await say(room, "Then by invoice."))[0], 200);
    assert.equal(service.asked.length, 1);
    assert.match(textOf(service.asked[0]), /Then by invoice/);
    assert.doesNotMatch(textOf(service.asked[0]), /4111/);
    const [message] = await messagesIn(room);
    assert.deepEqual([message.content, message.flagged], [`Pay with ${CARD}`, true]);
    const flags = await flagsIn(room);
    assert.equal(flags.length, 1);
    assert.deepEqual(
      [flags[0].source, flags[0].category, flags[0].guardrail_id, flags[0].message_id, flags[0].flagged_by],
      ["guardrail", "Cards", id, message.id, null],
    );
  });

  test("that rewrites replaces the matches in what the agent reads, in later turns and after an edit too", async () => {
    const room = await openRoom();
    const config = { ...NO_CARDS, replacement: "[$1 card]" };
    await guard({ swarm_id: room.swarmId, stage: "input", action: "rewrite", config });
    assert.equal((await say(room, `Pay with ${CARD} or ${CARD}.`))[0], 200);
    assert.match(textOf(service.asked[0]), /Pay with \[\$1 card\] or \[\$1 card\]\./);
    const [first] = await messagesIn(room);
    assert.deepEqual([first.content, first.flagged], [`Pay with ${CARD} or ${CARD}.`, true]);
    await ada.one(`PATCH /rest/v1/messages?id=eq.${first.id}`, { content: `No, with ${CARD}!` });
    await say(room, "Well?");
    assert.match(textOf(service.asked[1]), /No, with \[\$1 card\]!/);
    assert.doesNotMatch(textOf(service.asked[1]), /4111/);
    assert.equal((await flagsIn(room)).length, 1);
  });

  test("also checks what a call says that the agent has answered before", async () => {
    const { agentId } = await openRoom();
    await guard({ agent_id: agentId, stage: "input", action: "rewrite", config: NO_CARDS });
    const messages = [
      { role: "user", content: "Which card?" },
      { role: "assistant", content: `The one with ${CARD}` },
      { role: "user", content: "Repeat it." },
    ];
    assert.equal((await ada.call(RESPOND, { agent_id: agentId, messages }))[0], 200);
    assert.match(textOf(service.asked[0]), /The one with \[removed\]/);
  });

  test("of a swarm also applies to the selection of the next speaker", async () => {
    const room = await openRoom("selector");
    const { id: other } = await ada.one("POST /rest/v1/agents", { name: "Cook" });
    await ada.one("POST /rest/v1/swarm_agents", { swarm_id: room.swarmId, agent_id: other });
    await guard({ swarm_id: room.swarmId, stage: "input", action: "rewrite", config: NO_CARDS });
    await say(room, `Charge ${CARD}`);
    assert.ok(service.asked.length >= 2);
    for (const body of service.asked) assert.doesNotMatch(textOf(body), /4111/);
  });

  test("that is not active, or of another stage, has no effect", async () => {
    const room = await openRoom();
    await guard({ agent_id: room.agentId, stage: "input", config: NO_CARDS, is_active: false });
    await guard({ agent_id: room.agentId, stage: "output", config: NO_CARDS });
    assert.equal((await say(room, `Pay with ${CARD}`))[0], 200);
    assert.match(textOf(service.asked[0]), /4111/);
    assert.deepEqual(await flagsIn(room), []);
  });

  test("answers in time whatever the pattern and the text", async () => {
    const room = await openRoom();
    await guard({ agent_id: room.agentId, stage: "input", action: "rewrite", config: { pattern: "a(?:.*b)?" } });
    const startedAt = performance.now();
    const [status, body] = await say(room, "a".repeat(32_000));
    assert.ok(performance.now() - startedAt < WAIT_MS);
    assert.ok(status === 200 || body.code === "GUARDRAIL_FAILED", JSON.stringify(body));
  });
});

describe("an output guardrail", () => {
  test("that rewrites shows readers nothing else, neither as deltas nor as the message", async () => {
    const room = await openRoom();
    await guard({ agent_id: room.agentId, stage: "output", action: "rewrite", config: NO_CARDS });
    service.reply = `Your card is ${CARD}.`;
    const events = await ada.stream({ swarm_id: room.swarmId, message: "Which card?" });
    assert.doesNotMatch(JSON.stringify(events), /4111|1111/);
    const deltas = events.filter(({ type }) => type === "message.delta");
    assert.equal(deltas.map(({ delta }) => delta).join(""), "Your card is [removed].");
    const created = events.findLast(({ type }) => type === "message.created");
    assert.deepEqual([created.message.content, created.message.flagged], ["Your card is [removed].", true]);
    const [, answer] = await messagesIn(room);
    assert.deepEqual([answer.content, answer.flagged], ["Your card is [removed].", true]);
    const [flag] = await flagsIn(room);
    assert.deepEqual([flag.source, flag.message_id], ["guardrail", answer.id]);
  });

  test("that blocks stores no message", async () => {
    const room = await openRoom();
    await guard({ swarm_id: room.swarmId, stage: "output", config: NO_CARDS });
    service.reply = `Your card is ${CARD}.`;
    const events = await ada.stream({ swarm_id: room.swarmId, message: "Which card?" });
    assert.doesNotMatch(JSON.stringify(events), /4111|1111/);
    const end = events.find(({ type }) => type === "run.failed");
    assert.equal(end.errors[0].code, "GUARDRAIL_BLOCKED");
    assert.equal((await messagesIn(room)).length, 1);
    assert.deepEqual(await flagsIn(room), []);
  });

  test("keeps the text of a turn that is cancelled from being stored", async () => {
    const room = await openRoom();
    await guard({ agent_id: room.agentId, stage: "output", config: NO_CARDS });
    service.reply = `${CARD} is your card.`;
    service.isHanging = true;
    const isResponding = (event: { type: string; status?: string }): boolean => event.status === "responding";
    const events = await ada.stream({ swarm_id: room.swarmId, message: "Which card?" }, isResponding);
    const [started] = events;
    await ada.one(RESPOND, { action: "cancel", run_id: started.run_id });
    for (const startedAt = performance.now(); performance.now() - startedAt < WAIT_MS; await delay(10)) {
      const [run] = (await ada.call(`GET /rest/v1/runs?id=eq.${started.run_id}`))[1];
      if (run.status === "cancelled") break;
    }
    const [turn] = (await ada.call(`GET /rest/v1/run_turns?run_id=eq.${started.run_id}`))[1];
    assert.equal(turn.status, "cancelled");
    assert.equal((await messagesIn(room)).length, 1);
    const [, stored] = await ada.call(`GET /rest/v1/run_events?run_id=eq.${started.run_id}`);
    assert.doesNotMatch(JSON.stringify(stored), /4111/);
  });

  test("with a schema requires JSON, and a changed structured answer must still satisfy the schema of the answer", async () => {
    const room = await openRoom();
    const schema = { type: "object", properties: { card: { type: "string" } }, required: ["card"] };
    await guard({ agent_id: room.agentId, name: "Shape", kind: "schema", stage: "output", config: { schema } });
    assert.equal((await say(room, "Which card?"))[1].code, "GUARDRAIL_BLOCKED");
    // The escape does not hide the text from the pattern.
    service.reply = '{"card": "\\u0034111-1111-1111-1111"}';
    await guard({ agent_id: room.agentId, stage: "output", action: "rewrite", config: NO_CARDS });
    const call = { swarm_id: room.swarmId, message: "Which card?", response_schema: schema };
    const [status, body] = await ada.call(RESPOND, call);
    assert.equal(status, 200);
    assert.deepEqual(body.responses[0].data, { card: "[removed]" });
    const strict = { ...schema, properties: { card: { type: "string", pattern: "^[0-9-]+$" } } };
    const [failed, fault] = await ada.call(RESPOND, { ...call, response_schema: strict });
    assert.deepEqual([failed, fault.code], [502, "RESPONSE_SCHEMA_MISMATCH"]);
    assert.doesNotMatch(JSON.stringify(fault), /4111/);
  });
});

describe("a guardrail that asks a model", () => {
  test("ends the turn when the model finds a violation; its call is recorded and counted", async () => {
    const room = await openRoom();
    const config = { policy: "No politics." };
    await guard({ agent_id: room.agentId, name: "Tone", kind: "model", stage: "input", config });
    const [status, body] = await say(room, "Let us talk about politics");
    assert.deepEqual([status, body.code], [400, "GUARDRAIL_BLOCKED"]);
    assert.equal(service.asked.length, 1);
    assert.match(textOf(service.asked[0]), new RegExp(CHECKER));
    const [flag] = await flagsIn(room);
    assert.deepEqual([flag.category, flag.reason], ["Tone", "It is about politics."]);

    service.asked.length = 0;
    const [, good] = await say(room, "Let us talk about food");
    // The message of before is not asked about again, and the answer is the second call.
    assert.equal(service.asked.length, 2);
    const [run] = (
      await ada.call(`GET /rest/v1/runs?id=eq.${good.run_id}&select=usage,turns(input_tokens,model_calls(status))`)
    )[1];
    assert.deepEqual(
      run.turns[0].model_calls.map((call: { status: string }) => call.status),
      ["succeeded", "succeeded"],
    );
    assert.equal(run.turns[0].input_tokens, 24);
    assert.equal(run.usage.input_tokens, 24);
  });

  test("counts in the budget of the run", async () => {
    const room = await openRoom();
    await ada.one(`PATCH /rest/v1/swarms?id=eq.${room.swarmId}`, { settings: { budget: { max_tokens: 20 } } });
    await guard({ agent_id: room.agentId, kind: "model", stage: "input", config: { policy: "No politics." } });
    const [status, body] = await say(room, "Hello");
    assert.deepEqual([status, body.code], [403, "BUDGET_EXCEEDED"]);
    assert.equal(service.asked.length, 0);
  });

  test("ends the turn when its model cannot be asked, unless errors pass", async () => {
    const room = await openRoom();
    const config = { policy: "No politics.", model: "no-such-model" };
    const { id } = await guard({ agent_id: room.agentId, kind: "model", stage: "output", config });
    const [status, body] = await say(room, "Hello");
    assert.deepEqual(
      [status, body.code, body.run.stop_reason, body.run.responses],
      [502, "GUARDRAIL_FAILED", "guardrail_failed", []],
    );
    await ada.one(`PATCH /rest/v1/guardrails?id=eq.${id}`, { config: { ...config, on_error: "pass" } });
    assert.equal((await say(room, "Hello again"))[0], 200);
  });
});

describe("a guardrail that asks a webhook", () => {
  test("sends a signed request and lets the text pass when the answer is yes", async () => {
    const room = await openRoom();
    const config = { url: service.webhookUrl, headers: { "x-team": "blue" } };
    const made = await guard({ agent_id: room.agentId, kind: "webhook", stage: "input", config });
    assert.match(made.secret, /^whsec_/);
    const { secret } = await ada.one(`PATCH /rest/v1/guardrails?id=eq.${made.id}`, {
      secret: "whsec_mine",
      name: "Desk",
    });
    assert.equal(secret, made.secret);
    const [status, said] = await say(room, "Hello");
    assert.equal(status, 200);
    const [request] = service.received;
    assert.ok(request !== undefined);
    const sent: GuardrailRequest = JSON.parse(request.body);
    assert.deepEqual(await verifyWebhook(request.body, request.headers, made.secret), sent);
    const [message] = await messagesIn(room);
    assert.equal(sent.type, "guardrail.input");
    assert.deepEqual(sent.data, {
      guardrail_id: made.id,
      text: "Hello",
      swarm_id: room.swarmId,
      agent_id: room.agentId,
      run_id: said.run_id,
      message_id: message.id,
    });
    assert.equal(request.headers["x-team"], "blue");
    await say(room, "And now?");
    assert.equal(service.received.length, 2);
  });

  test("replaces the text by the one of the answer", async () => {
    const room = await openRoom();
    const config = { url: service.webhookUrl, replacement: "nothing" };
    await guard({ agent_id: room.agentId, kind: "webhook", stage: "output", action: "rewrite", config });
    service.webhookAnswer = { allowed: false, reason: "rude", replacement: "Good day." };
    const [, body] = await say(room, "Hello");
    assert.equal(body.responses[0].message.content, "Good day.");
    assert.equal((await flagsIn(room))[0].reason, "rude");
    service.webhookAnswer = { allowed: false };
    service.reply = "Hello once more.";
    assert.equal((await say(room, "Hello?"))[1].responses[0].message.content, "nothing");
  });

  test("ends the turn without a valid answer in time, unless errors pass", async () => {
    const room = await openRoom();
    const config = { url: service.webhookUrl, timeout_ms: 100 };
    const { id } = await guard({ agent_id: room.agentId, kind: "webhook", stage: "input", config });
    service.webhookAnswer = null;
    const [status, body] = await say(room, "Hello");
    assert.deepEqual([status, body.code], [502, "GUARDRAIL_FAILED"]);
    assert.match(body.message, /did not answer in time/);
    assert.equal(service.asked.length, 0);
    service.webhookAnswer = { allowed: "yes" };
    await ada.one(`PATCH /rest/v1/guardrails?id=eq.${id}`, { config: { url: service.webhookUrl } });
    assert.match((await say(room, "Hello?"))[1].message, /no valid answer/);
    await ada.one(`PATCH /rest/v1/guardrails?id=eq.${id}`, { config: { url: service.webhookUrl, on_error: "pass" } });
    assert.equal((await say(room, "Hello!"))[0], 200);
  });
});
