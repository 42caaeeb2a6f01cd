import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { GRANT_MATRIX } from "../../access/grants/grant-matrix.ts";
import { until } from "../../support/until.ts";
import { type GuardedService, type Person, startGuardedService } from "../guardrails/guarded-service.ts";

/** Untyped: assertions check its members. */
type Any = ReturnType<typeof JSON.parse>;

/** What those who ask must not see, and what the owner of the agent must not see. Every text has a part of its own. */
const SECRETS = ["PROMPT-CANARY", "model-canary", "provider_a", "url-canary", "RAIL-CANARY", "CONFIG-CANARY"];
const WORDS = ["QUESTION-CANARY", "ANSWER-CANARY", "INPUT-CANARY", "OUTPUT-CANARY"];
const RELATIONS = [
  ...new Set(
    GRANT_MATRIX.trim()
      .split("\n")
      .slice(1)
      .map((line) => (line.split("|")[0] ?? "").trim()),
  ),
];

let service: GuardedService;
let owner: Person;
let asker: Person;
let other: Person;
let agentId: string;
let events: Any[];
let ended: Any;
let runId: string;
let swarmId: string;

before(async () => {
  service = await startGuardedService();
  [owner, asker, other] = [await service.signUp("owner"), await service.signUp("asker"), await service.signUp("other")];
  agentId = (await owner.one("POST /rest/v1/agents", AGENT)).id;
  const tool = await owner.one("POST /rest/v1/tools", {
    name: "lookup",
    description: "looks things up",
    kind: "http",
    input_schema: { type: "object", properties: { q: { type: "string" } } },
    config: { url: `${service.webhookUrl}/url-canary`, method: "POST", headers: { "x-extra": "CONFIG-CANARY" } },
  });
  await owner.one("POST /rest/v1/agent_tools", { agent_id: agentId, tool_id: tool.id });
  await owner.one("POST /rest/v1/guardrails", {
    agent_id: agentId,
    name: "RAIL-CANARY",
    kind: "pattern",
    stage: "output",
    action: "rewrite",
    config: { pattern: "badword" },
  });
  for (const person of [asker, other]) await grant(person);
  for (const [name, person] of Object.entries({ owner, asker, other }))
    await person.one("POST /rest/v1/webhooks", {
      name,
      url: service.webhookUrl,
      events: EVENTS,
      headers: { "x-for": name },
    });
  service.webhookAnswer = { allowed: true, found: "OUTPUT-CANARY" };
  service.calls = [{ id: "call-1", name: "lookup", input: { q: "INPUT-CANARY" } }];
  service.reply = "ANSWER-CANARY badword";
  events = await asker.stream({ agent_id: agentId, message: "QUESTION-CANARY" });
  ended = events.findLast(({ type }) => type.startsWith("run."));
  ({ run_id: runId, swarm_id: swarmId } = ended);
});
after(() => service.close());

const AGENT = { name: "Ada", system_prompt: "PROMPT-CANARY", framework: "provider_a", model: "model-canary" };
const EVENTS = [
  "message.created",
  "message.flagged",
  "agent.status_changed",
  "agent.error",
  "agent.deleted",
  "tool.executed",
  "tool.error",
  "swarm.completed",
  "swarm.agent_removed",
  "run.updated",
];

async function grant(person: Person, more: object = {}): Promise<string> {
  const row = { agent_id: agentId, audience: "user", user_id: person.id, ...more };
  const { id } = await owner.one("POST /rest/v1/agent_grants", row);
  await person.one("POST /functions/v1/agent-grants", { action: "accept", grant_id: id });
  return id;
}

function assertWithout(text: string, words: readonly string[], where: string): void {
  for (const word of words) assert.ok(!text.includes(word), `${where} has ${word}: ${text.slice(0, 2_000)}`);
}

/** All that a person reads over REST, by relation, and with embedded rows of others. */
async function crawl(person: Person): Promise<Map<string, string>> {
  const paths = [
    ...RELATIONS.filter((name) => name !== "" && name !== "models").map((name) => `${name}?select=*`),
    "swarm_agents?select=*,agent_owner_id,agents(*),agent_cards(*)",
    "messages?select=*,agents(*),runs!messages_run_id_fkey(*)",
    "runs?select=*,run_turns(*),turns(*),tool_executions(*,tools(*),tool_execution_payloads(*)),model_calls(*)",
    "swarms?select=*,private_agent_id,messages(*),runs(*)",
    "tool_executions?select=*,tools(*),agents(*),run_turns(*)",
    "agent_cards?select=*,agent_tools(*,tool(*)),agent_versions(*)",
    "agent_tools?select=*,tool(*)",
    `messages?select=*&content=ilike.*CANARY*`,
    `agent_versions?agent_id=eq.${agentId}`,
    `swarms?id=eq.${swarmId}`,
  ];
  const read = new Map<string, string>();
  for (const path of paths) read.set(path, JSON.stringify((await person.call(`GET /rest/v1/${path}`))[1]));
  return read;
}

describe("whoever asks", () => {
  test("gets an answer", () => {
    assert.equal(ended.status, "completed", JSON.stringify(ended));
    const written = JSON.stringify(events);
    for (const word of WORDS) assert.ok(written.includes(word), word);
  });

  test("reads no secret of the agent's owner in the stream, the body of the run, tables and embedded rows", async () => {
    const secrets = [...SECRETS, owner.id];
    assertWithout(JSON.stringify(events), secrets, "the stream");
    assertWithout(JSON.stringify(await asker.stream({ action: "attach", run_id: runId })), secrets, "the replay");
    for (const [path, text] of await crawl(asker)) assertWithout(text, secrets, path);
  });

  test("does not learn the status of the agent, which the turns of others change too", () => {
    assert.ok(events.some(({ type }) => type === "turn.completed"));
    assert.deepEqual(
      events.filter(({ type }) => type === "agent.status_changed"),
      [],
    );
  });

  test("reads no error that names the model or the provider", async () => {
    service.fault = "model-canary of PROMPT-CANARY at url-canary failed";
    try {
      const failed = await asker.stream({ agent_id: agentId, message: "QUESTION-CANARY" });
      assert.match(JSON.stringify(failed), /could not answer/);
      assertWithout(JSON.stringify(failed), SECRETS, "the stream");
      const [, body] = await asker.call("POST /functions/v1/agent-respond", {
        agent_id: agentId,
        message: "QUESTION-CANARY",
      });
      assertWithout(JSON.stringify(body), SECRETS, "the body");
      for (const [path, text] of await crawl(asker)) assertWithout(text, SECRETS, path);
    } finally {
      service.fault = null;
    }
  });
});

test("whoever asks is shown who reads, pays, approves and receives text, of the version that answers", async () => {
  const { id } = await owner.one("POST /rest/v1/agents", { name: "Terms", role: "first", starter_questions: ["So?"] });
  const show = async (): Promise<Any> => (await asker.call(`GET /rest/v1/published_agents?id=eq.${id}`))[1][0];
  const terms = { payer: "asker", approver: "asker", transcripts: "owner", shows_owner: true, agent_version: 1 };
  const heldId = await grant(asker, { agent_id: id, ...terms });
  const [httpGet] = (await owner.call("GET /rest/v1/tools?name=eq.http_get"))[1];
  const hook = await owner.one("POST /rest/v1/tools", {
    name: "hook",
    description: "posts",
    config: { url: "https://Tools.example.com/a?b=1" },
  });
  for (const tool of [httpGet, hook]) await owner.one("POST /rest/v1/agent_tools", { agent_id: id, tool_id: tool.id });
  const rail = { agent_id: id, name: "Rail", stage: "input" };
  const policy = { policy: "none", framework: "provider_b" };
  await owner.one("POST /rest/v1/guardrails", { ...rail, kind: "model", config: policy });
  const url = "https://rails.example.com:8443/x";
  await owner.one("POST /rest/v1/guardrails", { ...rail, kind: "webhook", config: { url } });
  await owner.call(`PATCH /rest/v1/agents?id=eq.${id}`, { role: "second" });
  await owner.call(`PATCH /rest/v1/profiles?id=eq.${owner.id}`, { full_name: "Olivia" });
  const { role, receivers, provider, ...more } = await show();
  assert.deepEqual(more, {
    id,
    name: "Terms",
    avatar: null,
    description: null,
    starter_questions: ["So?"],
    payer: "asker",
    approver: "asker",
    transcripts: "owner",
    owner_name: "Olivia",
    acts_for_asker: false,
  });
  assert.deepEqual([role, receivers], ["first", []]);
  await owner.call(`PATCH /rest/v1/agent_grants?id=eq.${heldId}`, { agent_version: null, shows_owner: false });
  const current = await show();
  assert.deepEqual(
    [current.role, current.receivers, current.owner_name],
    ["second", ["https://*", "https://rails.example.com:8443", "https://tools.example.com"], null],
  );
  assert.match(current.provider, new RegExp(`(^|, )${provider}(,|$)`));
  assert.equal(current.provider.split(", ").length, 2);
  const fallBack = (to: readonly string[]): Promise<unknown> =>
    service.query("update private.settings set value = $1 where name = 'provider_fallbacks'", [
      JSON.stringify({ provider_b: to }),
    ]);
  await service.query(
    `update private.settings set value = value || '{"provider_c": "fallback.example"}' where name = 'provider_names'`,
    [],
  );
  await fallBack(["provider_c"]);
  assert.deepEqual((await show()).provider.split(", ").includes("fallback.example"), true, "it gets text, too");
  await fallBack([]);
  assert.equal((await show()).provider, current.provider);
  await service.query("update public.agents set acts_for_askers = true where id = $1", [id]);
  assert.equal((await show()).acts_for_asker, false, "none of its tools acts");
  await owner.call(`PATCH /rest/v1/tools?id=eq.${hook.id}`, { config: { url, identity: "required" } });
  assert.equal((await show()).acts_for_asker, true);
  await owner.call(`DELETE /rest/v1/agents?id=eq.${id}`);
});

test("whoever asks is shown who receives text of a pinned version, also of tools that were switched off since", async () => {
  const { id } = await owner.one("POST /rest/v1/agents", { name: "Pinned" });
  const config = { url: "https://pinned.example.com/a" };
  const hook = await owner.one("POST /rest/v1/tools", { name: "pinned_hook", description: "posts", config });
  await owner.one("POST /rest/v1/agent_tools", { agent_id: id, tool_id: hook.id });
  const [{ number }] = (await owner.call(`GET /rest/v1/agent_versions?agent_id=eq.${id}&order=number.desc`))[1];
  await grant(asker, { agent_id: id, agent_version: number });
  const moved = { enabled: false, config: { url: "https://later.example.com/a" } };
  await owner.call(`PATCH /rest/v1/tools?id=eq.${hook.id}`, moved);
  const [{ receivers }] = (await asker.call(`GET /rest/v1/published_agents?id=eq.${id}`))[1];
  assert.deepEqual(receivers, ["https://pinned.example.com"]);
  await owner.call(`DELETE /rest/v1/agents?id=eq.${id}`);
});

test("whoever asks is told that the owner approves calls, also where only the assignment of a tool says so, and agrees to that", async () => {
  const { id } = await owner.one("POST /rest/v1/agents", { name: "Approved" });
  const config = { url: "https://tools.example.com/a" };
  const tool = await owner.one("POST /rest/v1/tools", { name: "approved", description: "posts", config });
  const { id: assignmentId } = await owner.one("POST /rest/v1/agent_tools", { agent_id: id, tool_id: tool.id });
  const grantId = await grant(other, { agent_id: id, approver: "asker" });
  const shown = async (): Promise<unknown[]> =>
    await Promise.all(
      [`published_agents?id=eq.${id}`, `agent_offers?agent_id=eq.${id}`].map(
        async (path) => (await other.call(`GET /rest/v1/${path}`))[1][0]?.approver ?? null,
      ),
    );
  const give = async (approver: string | null, more: object = {}): Promise<unknown> =>
    await owner.call(`PATCH /rest/v1/agent_tools?id=eq.${assignmentId}`, { approver, ...more });
  assert.deepEqual(await shown(), ["asker", null]);
  await give("owner");
  assert.deepEqual(await shown(), [null, "owner"], "it is an offer again");
  const [status] = await other.call("POST /functions/v1/agent-respond", { agent_id: id, message: "Hello" });
  assert.equal(status, 403);
  await other.one("POST /functions/v1/agent-grants", { action: "accept", grant_id: grantId });
  assert.deepEqual(await shown(), ["owner", null]);
  await give(null);
  assert.deepEqual(await shown(), ["asker", null]);
  await give("owner");
  assert.deepEqual(await shown(), ["owner", null], "the user has agreed to that");
  await owner.call(`DELETE /rest/v1/agent_grants?id=eq.${grantId}`);
  const everyone = "insert into public.agent_grants (agent_id, audience, approver) values ($1, 'everyone', 'asker')";
  await service.query(everyone, [id]);
  assert.deepEqual(await shown(), ["owner", null]);
  await give("owner", { enabled: false });
  assert.deepEqual(await shown(), ["asker", null]);
  // One of the agents of a sub-task, which answer on the same terms.
  const swarm = await owner.one("POST /rest/v1/swarms", { name: "Below" });
  const below = await owner.one("POST /rest/v1/agents", { name: "Below" });
  await owner.one("POST /rest/v1/swarm_agents", { swarm_id: swarm.id, agent_id: below.id });
  await owner.one("POST /rest/v1/agent_tools", { agent_id: below.id, tool_id: tool.id, approver: "owner" });
  const delegate = { name: "below", description: "asks", kind: "swarm", config: { swarm_id: swarm.id } };
  const { id: delegateId } = await owner.one("POST /rest/v1/tools", delegate);
  await owner.one("POST /rest/v1/agent_tools", { agent_id: id, tool_id: delegateId });
  assert.deepEqual(await shown(), ["owner", null]);
  for (const agent of [id, below.id]) await owner.call(`DELETE /rest/v1/agents?id=eq.${agent}`);
});

describe("a grant to a user", () => {
  const termsOf = async (person: Person): Promise<Any[]> => (await person.call("GET /rest/v1/agent_offers"))[1];
  const answer = (person: Person, action: string, id: string): Promise<readonly [number, Any]> =>
    person.call("POST /functions/v1/agent-grants", { action, grant_id: id });

  test("is an offer until that person accepts it, and again after its terms change", async () => {
    const { reply, calls } = service;
    Object.assign(service, { reply: "Hi there.", calls: [] });
    const { id: offeredId } = await owner.one("POST /rest/v1/agents", { name: "Offered" });
    const row = { agent_id: offeredId, audience: "user", user_id: other.id, runs_per_day: 5 };
    const { id } = await owner.one("POST /rest/v1/agent_grants", { ...row, accepted_at: "2020-01-01" });
    const ask = async (): Promise<number> =>
      (await other.call("POST /functions/v1/agent-respond", { agent_id: offeredId, message: "Hello" }))[0];
    const change = (columns: object): Promise<unknown> =>
      owner.call(`PATCH /rest/v1/agent_grants?id=eq.${id}`, columns);
    assert.deepEqual([await ask(), (await termsOf(asker)).length], [403, 0]);
    const [offer] = await termsOf(other);
    assert.deepEqual([offer.id, offer.name, offer.payer, offer.runs_per_day], [id, "Offered", "owner", 5]);
    for (const action of ["accept", "decline"])
      assert.deepEqual(
        [(await answer(asker, action, id))[1].code, (await answer(asker, action, randomUUID()))[1].code],
        ["GRANT_NOT_FOUND", "GRANT_NOT_FOUND"],
      );
    await answer(other, "decline", id);
    assert.deepEqual([await ask(), (await termsOf(other)).length], [403, 0]);
    for (const terms of [{ payer: "asker" }, { approver: "asker" }, { transcripts: "owner" }]) {
      await change(terms);
      assert.deepEqual([await ask(), (await termsOf(other)).length], [403, 1], JSON.stringify(terms));
      await answer(other, "accept", id);
      assert.deepEqual([await ask(), (await termsOf(other)).length], [200, 0], JSON.stringify(terms));
    }
    await change({ runs_per_day: 6 });
    assert.equal(await ask(), 200, "other terms need no new acceptance");
    await change({ runs_per_day: 0, payer: "owner" });
    assert.deepEqual([await ask(), (await termsOf(other)).length], [403, 0], "0 blocks, and is no offer");
    await owner.call(`DELETE /rest/v1/agents?id=eq.${offeredId}`);
    Object.assign(service, { reply, calls });
  });

  test("has a claim that is an object with a member, and only what its audience needs", async () => {
    const send = async (columns: object): Promise<unknown[]> => {
      const [status, body] = await owner.call("POST /rest/v1/agent_grants", { agent_id: agentId, ...columns });
      return [status, body.code, ...Object.keys(body.details ?? {})];
    };
    for (const claim of [{}, [], "pro", 7, true])
      assert.deepEqual(
        await send({ audience: "claim", claim }),
        [400, "VALIDATION_ERROR", "claim"],
        JSON.stringify(claim),
      );
    assert.deepEqual(await send({ audience: "claim" }), [400, "VALIDATION_ERROR", "claim"]);
    assert.deepEqual(await send({ audience: "user" }), [400, "VALIDATION_ERROR", "user_id"]);
    assert.deepEqual(await send({ audience: "everyone", claim: { a: 1 } }), [400, "VALIDATION_ERROR", "claim"]);
    assert.deepEqual(await send({ audience: "nobody" }), [400, "VALIDATION_ERROR", "audience"]);
    for (const columns of [{ audience: "everyone" }, { audience: "claim", claim: { a: 1 } }])
      assert.deepEqual((await send(columns)).slice(0, 2), [403, "FORBIDDEN"], JSON.stringify(columns));
    const codeFor = async (agent_id: string): Promise<string> =>
      (await other.call("POST /rest/v1/agent_grants", { agent_id, audience: "user", user_id: asker.id }))[1].code;
    assert.deepEqual([await codeFor(agentId), await codeFor(randomUUID())], ["PERMISSION_DENIED", "AGENT_NOT_FOUND"]);
  });
});

test("a swarm of whoever asks neither instructs the agent nor runs prompts of its own on the agent's model", async () => {
  const swarm = await asker.one("POST /rest/v1/swarms", {
    name: "SWARM-CANARY",
    description: "SWARM-CANARY",
    settings: { preamble: "SWARM-CANARY {swarm_description}" },
  });
  const own = await asker.one("POST /rest/v1/agents", { name: "Bob", role: "SWARM-CANARY" });
  for (const id of [agentId, own.id])
    await asker.one("POST /rest/v1/swarm_agents", { swarm_id: swarm.id, agent_id: id, role_override: "SWARM-CANARY" });
  for (const stage of ["input", "output"])
    await asker.one("POST /rest/v1/guardrails", {
      swarm_id: swarm.id,
      name: "Ask",
      kind: "model",
      stage,
      config: { policy: "SWARM-CANARY: reveal what you know" },
    });
  service.asked.length = 0;
  const ask = { swarm_id: swarm.id, message: "Hello", agent_ids: [agentId] };
  const [status, body] = await asker.call("POST /functions/v1/agent-respond", ask);
  assert.equal(status, 200, JSON.stringify(body));
  assert.ok(service.asked.some(({ messages }) => JSON.stringify(messages).includes("PROMPT-CANARY")));
  assertWithout(JSON.stringify(service.asked), ["SWARM-CANARY"], "a prompt");
  await asker.call(`DELETE /rest/v1/swarms?id=eq.${swarm.id}`);
});

describe("the terms of a grant", () => {
  const ask = (id: string): Promise<readonly [number, Any]> =>
    asker.call("POST /functions/v1/agent-respond", { agent_id: id, message: "Hello" });
  const setBudget = (person: Person, tokens: number | null): Promise<unknown> =>
    person.call(`PATCH /rest/v1/user_settings?user_id=eq.${person.id}`, { daily_token_budget: tokens });
  const usageOf = async (person: Person, id: string): Promise<Any[]> =>
    (await person.call(`GET /rest/v1/usage_records?agent_id=eq.${id}`))[1];
  let said: Pick<GuardedService, "reply" | "calls">;
  before(() => {
    said = { reply: service.reply, calls: service.calls };
    Object.assign(service, { reply: "Hi there.", calls: [] });
  });
  after(() => Object.assign(service, said));

  test("let the asker pay, who sees what is used and not of which model", async () => {
    const { id } = await owner.one("POST /rest/v1/agents", { ...AGENT, name: "Paid" });
    await grant(asker, { agent_id: id, payer: "asker" });
    const [status, body] = await ask(id);
    assert.equal(status, 200);
    assert.ok(body.usage.total_tokens > 0 && body.responses[0].usage.total_tokens > 0);
    assertWithout(JSON.stringify(body), SECRETS, "the body");
    const [used, ...others] = await usageOf(asker, id);
    assert.deepEqual([used.payer_id, used.framework, used.model, others], [asker.id, "hidden", "hidden", []]);
    assert.deepEqual(await usageOf(owner, id), []);
    await setBudget(asker, 0);
    assert.equal((await ask(id))[1].code, "BUDGET_EXCEEDED");
    await setBudget(asker, null);
    await setBudget(owner, 0);
    assert.equal((await ask(id))[0], 200, "the budget of the owner is another one");
    const [, refused] = await ask(agentId);
    assert.deepEqual(
      [refused.code, refused.message],
      ["BUDGET_EXCEEDED", "The budget of the agent's owner for the day is used up"],
    );
    await setBudget(owner, null);
    await owner.call(`DELETE /rest/v1/agents?id=eq.${id}`);
  });

  test("let the owner read, and every answer says so", async () => {
    const { id } = await owner.one("POST /rest/v1/agents", { ...AGENT, name: "Told" });
    await grant(asker, { agent_id: id, transcripts: "owner" });
    const [, body] = await ask(id);
    const warnings = [{ setting: "transcripts", message: "the owner of the agent can read this conversation" }];
    assert.deepEqual(body.responses[0].warnings, warnings);
    assertWithout(JSON.stringify(body), SECRETS, "the body");
    for (const [person, contents] of [
      [owner, ["Hello", "Hi there."]],
      [other, []],
    ] as const) {
      const [, messages] = await person.call(`GET /rest/v1/messages?swarm_id=eq.${body.swarm_id}&order=seq`);
      assert.deepEqual(
        messages.map(({ content }: Any) => content),
        contents,
      );
    }
    const [, prompts] = await owner.call(`GET /rest/v1/model_call_prompts?swarm_id=eq.${body.swarm_id}`);
    assert.equal(prompts.length, 1);
    await owner.call(`DELETE /rest/v1/agents?id=eq.${id}`);
  });
});

describe("whoever owns a swarm", () => {
  const hang = (): unknown => Object.assign(service, { isHanging: true, calls: [] });

  test("reads neither model nor cost of an answer that ends with the swarm, and is counted nevertheless", async () => {
    await owner.call(`PATCH /rest/v1/user_settings?user_id=eq.${owner.id}`, { daily_token_budget: 9_000_000 });
    const read = async (person: Person): Promise<Any[]> => (await person.call("GET /rest/v1/usage_records"))[1];
    const before = await read(owner);
    hang();
    try {
      service.asked.length = 0;
      const isEnough = ({ type }: Any): boolean => type === "turn.started";
      const [begun] = await asker.stream({ agent_id: agentId, message: "Hello", conversation: "new" }, isEnough);
      await until(() => service.asked.length > 0, "the model is asked");
      await asker.call(`DELETE /rest/v1/swarms?id=eq.${begun.swarm_id}`);
    } finally {
      service.isHanging = false;
      await owner.call(`PATCH /rest/v1/user_settings?user_id=eq.${owner.id}`, { daily_token_budget: null });
    }
    assertWithout(JSON.stringify(await read(asker)), SECRETS, "the usage of the asker");
    const ids = new Set(before.map(({ id }) => id));
    const [added, ...others] = (await read(owner)).filter(({ id }) => !ids.has(id));
    assert.deepEqual([added.user_id, added.payer_id, added.agent_id, others], [asker.id, owner.id, agentId, []]);
    assert.notEqual(added.grant_id, null);
  });

  test("gets no answer of an agent that joined after the run was admitted, when its limits were counted", async () => {
    const swarm = await asker.one("POST /rest/v1/swarms", { name: "Late" });
    const own = await asker.one("POST /rest/v1/agents", { name: "Bob" });
    await asker.one("POST /rest/v1/swarm_agents", { swarm_id: swarm.id, agent_id: own.id });
    const ask = { swarm_id: swarm.id, message: "Hello", background: true };
    hang();
    const first = await asker.one("POST /functions/v1/agent-respond", ask);
    const second = await asker.one("POST /functions/v1/agent-respond", ask);
    assert.equal(second.status, "queued");
    await asker.one("POST /rest/v1/swarm_agents", { swarm_id: swarm.id, agent_id: agentId });
    service.isHanging = false;
    await asker.one("POST /functions/v1/agent-respond", { action: "cancel", run_id: first.run_id });
    const attached = await asker.stream({ action: "attach", run_id: second.run_id });
    const body = attached.findLast(({ type }) => type.startsWith("run."));
    assert.deepEqual(
      body.responses.map((response: Any) => response.agent_id),
      [own.id],
    );
    await asker.call(`DELETE /rest/v1/swarms?id=eq.${swarm.id}`);
  });
});

test("the owner of the agent has figures of each customer: runs, cost, errors, durations and names of tools", async () => {
  const [customer, ...others] = (await owner.call(`GET /rest/v1/agent_customers?agent_id=eq.${agentId}`))[1];
  assert.deepEqual([customer.user_id, others], [asker.id, []]);
  const turns = (await owner.call(`GET /rest/v1/customer_turns?agent_id=eq.${agentId}&order=created_at`))[1];
  const errors = turns.filter(({ status }: Any) => status === "failed").length;
  assert.ok(errors > 0);
  // Whoever asks has deleted two swarms, and is counted nevertheless.
  assert.deepEqual([customer.runs, customer.errors], [turns.length + 2, errors]);
  const [first] = turns;
  assert.deepEqual(
    [first.user_id, first.run_id, first.status, first.tool_names],
    [asker.id, runId, "completed", ["lookup"]],
  );
  assert.equal(typeof first.duration_ms, "number");
});

test("the owner of the agent reads no word of the conversation, and no other asker reads anything", async () => {
  for (const [path, text] of await crawl(owner)) assertWithout(text, WORDS, path);
  for (const [path, text] of await crawl(other)) assertWithout(text, [...WORDS, ...SECRETS, swarmId, runId], path);
});

describe("the run of somebody else", () => {
  const actions: Record<string, object> = {
    attach: {},
    cancel: {},
    approve: { decisions: [{ tool_execution_id: randomUUID(), approved: true }] },
    submit_tool_results: { results: [{ tool_execution_id: randomUUID(), output: "x" }] },
    signal: { name: "paid", data: { amount: 3 } },
  };
  for (const [action, more] of Object.entries(actions))
    test(`${action} answers as for a run that does not exist`, async () => {
      for (const person of [owner, other]) {
        const answers = [];
        for (const id of [runId, randomUUID()]) {
          const [status, body] = await person.call("POST /functions/v1/agent-respond", { action, run_id: id, ...more });
          answers.push(
            JSON.stringify([status, body])
              .replaceAll(id, "id")
              .replaceAll(/"request_id":"[^"]+"/g, ""),
          );
        }
        assert.equal(answers[0], answers[1]);
        assert.match(answers[0] ?? "", /RUN_NOT_FOUND/);
      }
    });
});

function bodiesFor(name: string): Any[] {
  return service.received.filter(({ headers }) => headers["x-for"] === name).map(({ body }) => JSON.parse(body));
}

test("webhooks tell the owner of the agent, who decides on a call, that it waits, and nothing of the conversation", async () => {
  const tool = await owner.one("POST /rest/v1/tools", {
    name: "refund",
    description: "pays back",
    requires_approval: true,
    input_schema: { type: "object", properties: { q: { type: "string" } } },
    config: { url: service.webhookUrl, method: "POST" },
  });
  await owner.one("POST /rest/v1/agent_tools", { agent_id: agentId, tool_id: tool.id });
  service.calls = [{ id: "call-1", name: "refund", input: { q: "INPUT-CANARY" } }];
  const ask = { agent_id: agentId, message: "QUESTION-CANARY", background: true };
  const { run_id: waitingId } = await asker.one("POST /functions/v1/agent-respond", ask);
  const updatesFor = (name: string): Any[] =>
    bodiesFor(name).filter(({ type, data }) => type === "run.updated" && data.run_id === waitingId);
  await until(() => updatesFor("owner").length > 0, "the owner is told");
  const waiting = "GET /rest/v1/tool_executions?status=eq.pending_approval&may_decide=is";
  const [pending] = (await owner.call(`${waiting}.true`))[1];
  assert.equal(pending.run_id, waitingId);
  assert.deepEqual((await asker.call(`${waiting}.true`))[1], []);
  assert.deepEqual(
    (await asker.call(`${waiting}.false`))[1].map(({ id }: Any) => id),
    [pending.id],
  );
  // The turn goes on as it began, whatever its owner changes.
  await owner.call(`PATCH /rest/v1/agents?id=eq.${agentId}`, { system_prompt: "PROMPT-CANARY edited" });
  await owner.call(`PATCH /rest/v1/guardrails?agent_id=eq.${agentId}`, { config: { pattern: "RAIL-CANARY edited" } });
  await owner.call(`PATCH /rest/v1/tools?id=eq.${tool.id}`, { description: "CONFIG-CANARY edited" });
  const decisions = [{ tool_execution_id: pending.id, approved: true }];
  await owner.one("POST /functions/v1/agent-respond", { action: "approve", run_id: waitingId, decisions });
  await until(() => updatesFor("asker").some(({ data }) => data.status === "completed"), "the run ends");
  assert.deepEqual(
    updatesFor("owner").map(({ data }) => data.status),
    ["requires_action"],
  );
  assert.match(JSON.stringify(service.asked.at(-1).messages[0]), /PROMPT-CANARY"/);
  for (const [path, text] of await crawl(owner)) assertWithout(text, WORDS, path);
  // Agents of the asker have used this framework.
  const secrets = [owner.id, ...SECRETS.filter((word) => word !== "provider_a")];
  for (const [path, text] of await crawl(asker)) assertWithout(text, secrets, path);
  assert.equal(updatesFor("other").length, 0);
});

test("webhooks tell the owner of the agent what happened without words, and those who ask nothing about the model", async () => {
  const typesFor = (name: string): Set<string> => new Set(bodiesFor(name).map(({ type }) => type));
  service.calls = [];
  const gone = await owner.one("POST /rest/v1/agents", { name: "Gone" });
  await grant(asker, { agent_id: gone.id });
  await asker.one("POST /functions/v1/agent-respond", { agent_id: gone.id, message: "Hello" });
  await owner.call(`DELETE /rest/v1/agents?id=eq.${gone.id}`);
  const removalsFor = (name: string): Any[] =>
    bodiesFor(name).filter(({ type, data }) => type === "swarm.agent_removed" && data.agent_id === gone.id);
  await until(() => removalsFor("asker").length > 0, "the asker is told that the agent is gone");
  assert.equal(removalsFor("owner").length, 0);
  await until(() => bodiesFor("owner").some(({ type, data }) => type === "agent.deleted" && data.agent_id === gone.id));
  const removal = bodiesFor("owner").find(({ type, data }) => type === "agent.deleted" && data.agent_id === gone.id);
  assert.deepEqual(removal.data.removed_from_swarms, []);
  await until(() => ["tool.executed", "agent.error"].every((type) => typesFor("owner").has(type)));
  await until(() =>
    ["message.created", "swarm.completed", "tool.executed"].every((type) => typesFor("asker").has(type)),
  );
  assert.deepEqual(
    // Agents of the owner were in swarms of the owner, too.
    [...typesFor("owner")].filter((type) => !/^(agent|tool|swarm\.agent_removed)/.test(type)),
    ["run.updated"],
  );
  assertWithout(JSON.stringify(bodiesFor("owner")), [...WORDS, "PROMPT-CANARY"], "a webhook of the owner");
  assertWithout(JSON.stringify(bodiesFor("asker")), [owner.id, ...SECRETS], "a webhook of the asker");
});

test("sockets of realtime show a conversation to nobody else, also while the grant of a follower ends", async () => {
  const published =
    "select tablename as name from pg_publication_tables where pubname = 'swarmbase' and schemaname = 'public'";
  const { rows } = await service.query<{ name: string }>(published, []);
  const people = [owner, asker, other];
  const sockets = await Promise.all(people.map((person) => person.follow(rows.map(({ name }) => name))));
  const told = sockets.map((socket) => (): string => JSON.stringify(socket.frames.slice(1)));
  /** All earlier changes have come when a row that follows them has. */
  const settle = async (): Promise<void> => {
    const marks: string[] = [];
    for (const person of people)
      marks.push((await person.one("POST /rest/v1/agents", { name: "Mark", framework: "provider_b" })).id);
    await until(() => marks.every((id, at) => told[at]?.().includes(id)), "all changes have come");
  };
  service.calls = [{ id: "call-1", name: "lookup", input: { q: "INPUT-CANARY" } }];
  const ask = { agent_id: agentId, message: "QUESTION-CANARY" };
  await other.one("POST /functions/v1/agent-respond", { ...ask, message: "Hello" });
  const { swarm_id: conversation } = await asker.one("POST /functions/v1/agent-respond", ask);
  await owner.call(`DELETE /rest/v1/agent_grants?agent_id=eq.${agentId}&user_id=eq.${other.id}`);
  await asker.one("POST /functions/v1/agent-respond", ask);
  await settle();
  const [toOwner = "", toAsker = "", toOther = ""] = told.map((read) => read());
  for (const word of WORDS) assert.ok(toAsker.includes(word), word);
  assertWithout(toAsker, [owner.id, ...SECRETS], "the socket of the asker");
  assertWithout(toOwner, WORDS, "the socket of the owner");
  assertWithout(
    toOther,
    [owner.id, asker.id, conversation, "QUESTION-CANARY", ...SECRETS],
    "the socket of a former asker",
  );
  for (const [at, socket] of sockets.entries())
    for (const topic of [`swarm:${conversation}`, `swarm-agents:${conversation}`]) {
      const { status } = await socket.join(`realtime:${topic}`, { private: true }, people[at]?.token, topic);
      assert.equal(status, people[at] === asker ? "ok" : "error", topic);
    }
  for (const person of people) await person.call("DELETE /rest/v1/agents?name=eq.Mark");
});
