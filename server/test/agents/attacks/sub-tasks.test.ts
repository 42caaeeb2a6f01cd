import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { GRANT_MATRIX } from "../../access/grants/grant-matrix.ts";
import { until } from "../../support/until.ts";
import { type GuardedService, type Person, startGuardedService } from "../guardrails/guarded-service.ts";

/** Untyped: assertions check its members. */
type Any = ReturnType<typeof JSON.parse>;

/** What nobody but their owner reads, what of the sub-task whoever asks does not read, and what the owner does not read. */
const SECRETS = ["PROMPT-CANARY", "model-canary", "url-canary", "CONFIG-CANARY", "RAIL-CANARY"];
const INNER = ["MIDDLE-CANARY", "FOUND-CANARY", "LOOKUP-CANARY"];
const WORDS = ["QUESTION-CANARY", "TASK-CANARY", "MIDDLE-CANARY", "LAST-CANARY", "FOUND-CANARY", "LOOKUP-CANARY"];
const RELATIONS = new Set(
  GRANT_MATRIX.trim()
    .split("\n")
    .slice(1)
    .map((line) => (line.split("|")[0] ?? "").trim())
    .filter((name) => name !== "" && name !== "models"),
);

let service: GuardedService;
let owner: Person;
let asker: Person;
let agentId: string;
let teamId: string;

before(async () => {
  service = await startGuardedService();
  [owner, asker] = [await service.signUp("owner"), await service.signUp("asker")];
  const newAgent = async (name: string, more: object = {}): Promise<string> =>
    (await owner.one("POST /rest/v1/agents", { name, system_prompt: `${name} PROMPT-CANARY`, ...more })).id;
  agentId = await newAgent("Ada", { framework: "provider_a", model: "model-canary" });
  teamId = (await owner.one("POST /rest/v1/swarms", { name: "Team" })).id;
  const team = [await newAgent("Ida"), await newAgent("Iris", { model: "model-canary" })];
  for (const id of team) await owner.one("POST /rest/v1/swarm_agents", { swarm_id: teamId, agent_id: id });
  const lookup = await owner.one("POST /rest/v1/tools", {
    name: "lookup",
    description: "looks things up",
    config: { url: `${service.webhookUrl}/url-canary`, method: "POST", headers: { "x-extra": "CONFIG-CANARY" } },
  });
  await owner.one("POST /rest/v1/agent_tools", { agent_id: team[0], tool_id: lookup.id });
  const research = await owner.one("POST /rest/v1/tools", {
    name: "research",
    description: "asks the team",
    kind: "swarm",
    config: { swarm_id: teamId },
  });
  await owner.one("POST /rest/v1/agent_tools", { agent_id: agentId, tool_id: research.id });
  for (const [name, person] of Object.entries({ owner, asker }))
    await person.one("POST /rest/v1/webhooks", {
      name,
      url: service.webhookUrl,
      events: [
        "message.created",
        "tool.executed",
        "swarm.created",
        "swarm.agent_added",
        "swarm.completed",
        "run.updated",
      ],
      headers: { "x-for": name },
    });
  await grant();
  service.webhookAnswer = { found: "FOUND-CANARY" };
  // Each agent calls those of the tools that it has.
  service.calls = [
    { id: "call-1", name: "research", input: { message: "TASK-CANARY" } },
    { id: "call-2", name: "lookup", input: { q: "LOOKUP-CANARY" } },
  ];
  service.replyTo = ({ messages }) => {
    const system = JSON.stringify(messages[0]);
    return system.includes("Ida PROMPT")
      ? "MIDDLE-CANARY"
      : system.includes("Iris PROMPT")
        ? "LAST-CANARY"
        : "All is done.";
  };
});
after(() => service.close());

async function grant(more: object = {}): Promise<void> {
  await service.query("delete from public.agent_grants where agent_id = $1", [agentId]);
  const row = { agent_id: agentId, audience: "user", user_id: asker.id, ...more };
  const { id } = await owner.one("POST /rest/v1/agent_grants", row);
  await asker.one("POST /functions/v1/agent-grants", { action: "accept", grant_id: id });
}

interface Asked {
  readonly events: Any[];
  readonly runId: string;
  readonly task: { readonly swarm_id: string; readonly run_id: string };
}

async function ask(person: Person, more: object = {}): Promise<Asked> {
  const body = { agent_id: agentId, message: "QUESTION-CANARY", conversation: "new", ...more };
  const events = await person.stream(body);
  const end = events.findLast(({ type }) => type.startsWith("run."));
  assert.equal(end?.status, "completed", JSON.stringify(events));
  const { rows } = (await service.query("select swarm_id, run_id from private.sub_tasks where parent_run_id = $1", [
    end.run_id,
  ])) as { rows: Asked["task"][] };
  assert.ok(rows[0] !== undefined, JSON.stringify(events));
  return { events, runId: end.run_id, task: rows[0] };
}

/** All that a person reads over REST, by relation, and with embedded rows of others. */
async function crawl(person: Person): Promise<Map<string, string>> {
  const paths = [
    ...[...RELATIONS].map((name) => `${name}?select=*`),
    "swarms?select=*,messages(*),runs(*),swarm_agents(*),swarm_members(*)",
    "runs?select=*,turns(*),tool_executions(*,tools(*),tool_execution_payloads(*)),model_calls(*),swarms(*)",
    "messages?content=ilike.*CANARY*",
  ];
  const read = new Map<string, string>();
  for (const path of paths) read.set(path, JSON.stringify((await person.call(`GET /rest/v1/${path}`))[1]));
  return read;
}

function assertWithout(text: string, words: readonly string[], where: string): void {
  for (const word of words) assert.ok(!text.includes(word), `${where} has ${word}: ${text.slice(0, 2_000)}`);
}

const receivedBy = (name: string): string =>
  JSON.stringify(service.received.filter(({ headers }) => headers["x-for"] === name).map(({ body }) => body));

describe("whoever asks an agent by a grant", () => {
  it("reads of its sub-tasks what was asked and answered, and nothing else", async () => {
    const { events, runId, task } = await ask(asker);
    assertWithout(JSON.stringify(events), [...SECRETS, ...INNER, task.swarm_id], "the stream");
    for (const [path, text] of await crawl(asker)) assertWithout(text, [...SECRETS, ...INNER, task.swarm_id], path);
    const path = `tool_executions?run_id=eq.${runId}&select=tool_name,status,tool_execution_payloads(input,output)`;
    assert.deepEqual((await asker.call(`GET /rest/v1/${path}`))[1], [
      {
        tool_name: "research",
        status: "succeeded",
        tool_execution_payloads: { input: { message: "TASK-CANARY" }, output: "LAST-CANARY" },
      },
    ]);
    await until(async () => receivedBy("asker").includes("swarm.completed"), "the events have arrived");
    assertWithout(receivedBy("asker"), [...SECRETS, ...INNER, task.swarm_id], "a webhook");
  });

  it("cannot use, change, extend or leave the conversation of a sub-task", async () => {
    const { task } = await ask(asker);
    const at = `swarm_id=eq.${task.swarm_id}`;
    for (const relation of [
      "messages",
      "runs",
      "run_turns",
      "run_events",
      "swarm_agents",
      "swarm_members",
      "model_calls",
    ])
      assert.deepEqual(await asker.call(`GET /rest/v1/${relation}?${at}`), [200, []], relation);
    assert.deepEqual(await asker.call(`GET /rest/v1/swarms?id=eq.${task.swarm_id}`), [200, []]);
    const own = await asker.one("POST /rest/v1/agents", { name: "Mine" });
    const writes: [string, object][] = [
      ["POST /rest/v1/messages", { swarm_id: task.swarm_id, content: "and now the rest" }],
      ["POST /rest/v1/swarm_members", { swarm_id: task.swarm_id, email: "owner@example.com" }],
      ["POST /rest/v1/swarm_agents", { swarm_id: task.swarm_id, agent_id: own.id }],
      ["POST /functions/v1/agent-respond", { swarm_id: task.swarm_id, message: "and now the rest" }],
      ["POST /rest/v1/swarms", { name: "Mine", parent_run_id: task.run_id }],
    ];
    for (const [line, body] of writes) assert.equal((await asker.call(line, body))[0], 403, line);
    for (const method of ["PATCH", "DELETE"])
      assert.deepEqual(
        (await asker.call(`${method} /rest/v1/swarms?id=eq.${task.swarm_id}`, { name: "x" }))[1],
        [],
        method,
      );
    for (const action of [
      { action: "attach" },
      { action: "cancel" },
      { action: "signal", name: "go" },
      { action: "submit_tool_results", results: [{ tool_execution_id: randomUUID(), output: "x" }] },
      { action: "approve", decisions: [{ tool_execution_id: randomUUID(), approved: true }] },
    ]) {
      const [status, body] = await asker.call("POST /functions/v1/agent-respond", { ...action, run_id: task.run_id });
      assert.deepEqual([status, body.code], [404, "RUN_NOT_FOUND"], action.action);
    }
  });

  it("gets the answer of the whole run at once, and is asked when a sub-task waits", async () => {
    const body = { agent_id: agentId, message: "QUESTION-CANARY", conversation: "new" };
    const [status, answered] = await asker.call("POST /functions/v1/agent-respond", body);
    assert.deepEqual([status, answered.responses[0].message.content], [200, "All is done."]);
    await grant({ approver: "asker" });
    await owner.call("PATCH /rest/v1/tools?name=eq.lookup", { requires_approval: true });
    try {
      const [waits, run] = await asker.call("POST /functions/v1/agent-respond", body);
      assert.deepEqual([waits, run.status, run.pending_waits?.[0].kind], [202, "waiting", "sub_task"]);
      const [pending] = run.pending_approvals;
      assert.deepEqual([pending.tool_name, pending.input], ["lookup", { q: "LOOKUP-CANARY" }]);
      const call = { action: "approve", run_id: run.run_id };
      const decisions = [{ tool_execution_id: pending.tool_execution_id, approved: true }];
      assert.equal((await asker.call("POST /functions/v1/agent-respond", { ...call, decisions }))[0], 200);
      const events = await asker.stream({ action: "attach", run_id: run.run_id });
      const ended = events.findLast(({ type }) => type === "run.completed");
      assert.deepEqual([ended?.status, ended?.responses[0]?.message.content], ["completed", "All is done."]);
      const isWaiting = ({ type }: Any): boolean => type === "tool.waiting";
      const streamed = await asker.stream(body, isWaiting);
      assert.ok(streamed.some(isWaiting));
      await asker.call("POST /functions/v1/agent-respond", { action: "cancel", run_id: streamed[0].run_id });
    } finally {
      await owner.call("PATCH /rest/v1/tools?name=eq.lookup", { requires_approval: false });
      await grant();
    }
  });

  it("is told before of every receiver and provider of the sub-tasks", async () => {
    const [{ receivers }] = (await asker.call(`GET /rest/v1/published_agents?id=eq.${agentId}`))[1];
    assert.deepEqual(receivers, [new URL(service.webhookUrl).origin]);
  });
});

describe("the owner of the tool", () => {
  it("reads no word of the sub-tasks of others, over REST or by webhooks", async () => {
    const { task } = await ask(asker);
    for (const [path, text] of await crawl(owner)) assertWithout(text, [...WORDS, task.swarm_id], path);
    for (const action of ["attach", "cancel"]) {
      const [, body] = await owner.call("POST /functions/v1/agent-respond", { action, run_id: task.run_id });
      assert.equal(body.code, "RUN_NOT_FOUND", action);
    }
    assertWithout(receivedBy("owner"), [...WORDS, task.swarm_id], "a webhook");
  });

  it("has the figures of the sub-tasks", async () => {
    const { task } = await ask(asker);
    const turns = (await owner.call(`GET /rest/v1/customer_turns?run_id=eq.${task.run_id}&order=created_at`))[1];
    assert.deepEqual(
      turns.map(({ user_id, status, tool_names }: Any) => [user_id, status, tool_names]),
      [
        [asker.id, "completed", ["lookup"]],
        [asker.id, "completed", []],
      ],
    );
  });

  it("reads them where whoever asks has agreed that the owner reads the conversation", async () => {
    await grant({ transcripts: "owner" });
    const { task } = await ask(asker);
    const messages = (await owner.call(`GET /rest/v1/messages?swarm_id=eq.${task.swarm_id}&order=seq`))[1];
    assert.deepEqual(
      messages.map(({ content }: Any) => content),
      ["TASK-CANARY", "MIDDLE-CANARY", "LAST-CANARY"],
    );
    assert.deepEqual((await asker.call(`GET /rest/v1/messages?swarm_id=eq.${task.swarm_id}`))[1], []);
    await grant();
  });

  it("who asks the agent sees the whole trace, and no conversation more in any list", async () => {
    const { runId, task } = await ask(owner);
    const path = `tool_executions?run_id=eq.${runId}&select=sub_run_id`;
    assert.deepEqual((await owner.call(`GET /rest/v1/${path}`))[1], [{ sub_run_id: task.run_id }]);
    const [sub] = (await owner.call(`GET /rest/v1/runs?id=eq.${task.run_id}&select=status,turns(agent_name)`))[1];
    assert.deepEqual(sub, { status: "completed", turns: [{ agent_name: "Ida" }, { agent_name: "Iris" }] });
    const listed = (await owner.call("GET /rest/v1/swarms?select=id,parent_run_id"))[1];
    assert.equal(
      listed.some(({ id }: Any) => id === task.swarm_id),
      false,
    );
    const written = await owner.call("POST /rest/v1/messages", { swarm_id: task.swarm_id, content: "more" });
    assert.equal(written[0], 403);
  });
});

describe("a tool that names the swarm of somebody else", () => {
  let stranger: Person;
  let strangerAgent: string;
  let ownSwarm: string;
  let ownTool: string;
  const swarmTool = (swarmId: string, more: object = {}): object => ({
    name: `tool_${randomUUID().slice(0, 8)}`,
    description: "asks others",
    kind: "swarm",
    config: { swarm_id: swarmId },
    ...more,
  });
  const receiversOf = async (id: string): Promise<Any> =>
    (await asker.call(`GET /rest/v1/published_agents?id=eq.${id}`))[1][0]?.receivers;
  before(async () => {
    stranger = await service.signUp("stranger");
    strangerAgent = (await stranger.one("POST /rest/v1/agents", { name: "Spy" })).id;
    ownSwarm = (await stranger.one("POST /rest/v1/swarms", { name: "Own" })).id;
    ownTool = (await stranger.one("POST /rest/v1/tools", swarmTool(ownSwarm))).id;
    await stranger.one("POST /rest/v1/agent_tools", { agent_id: strangerAgent, tool_id: ownTool });
    const row = { agent_id: strangerAgent, audience: "user", user_id: asker.id };
    const { id } = await stranger.one("POST /rest/v1/agent_grants", row);
    await asker.one("POST /functions/v1/agent-grants", { action: "accept", grant_id: id });
  });

  it("is not stored, and the answer does not say whether the swarm exists", async () => {
    const member =
      "insert into public.swarm_members (swarm_id, user_id, role, status) values ($1, $2, 'viewer', 'active')";
    await service.query(member, [teamId, stranger.id]);
    const outer = await ask(owner);
    const answers = async (send: (swarmId: string) => Promise<readonly [number, Any]>): Promise<unknown[][]> => {
      const all: unknown[][] = [];
      for (const swarmId of [randomUUID(), teamId, outer.task.swarm_id]) {
        const [status, { code, message, details }] = await send(swarmId);
        all.push([status, code, message, details]);
      }
      return all;
    };
    const config = "is not valid: swarm_id names no swarm of the owner of the tool";
    const posted = await answers((id) => stranger.call("POST /rest/v1/tools", swarmTool(id)));
    assert.deepEqual(posted, Array(3).fill([400, "VALIDATION_ERROR", posted[0]?.[2], { config }]));
    const path = `PATCH /rest/v1/tools?id=eq.${ownTool}`;
    const patched = await answers((id) => stranger.call(path, { config: { swarm_id: id } }));
    assert.deepEqual(patched, Array(3).fill([400, "VALIDATION_ERROR", patched[0]?.[2], { config }]));
    const forged = await answers((id) => stranger.call("POST /rest/v1/tools", swarmTool(id, { owner_id: owner.id })));
    assert.deepEqual(forged, Array(3).fill([403, ...(forged[0] ?? []).slice(1)]));
    await service.query("delete from public.swarm_members where swarm_id = $1 and user_id = $2", [teamId, stranger.id]);
  });

  it("tells nobody what the tools and checks of that swarm are", async () => {
    const move = async (swarmId: string): Promise<void> => {
      const config = JSON.stringify({ swarm_id: swarmId });
      await service.query("alter table public.tools disable trigger tools_check_swarm", []);
      await service.query("update public.tools set config = $2 where id = $1", [ownTool, config]);
      await service.query("alter table public.tools enable trigger tools_check_swarm", []);
    };
    await move(teamId);
    assert.deepEqual(await receiversOf(strangerAgent), []);
    await move(ownSwarm);
    assert.deepEqual(await receiversOf(strangerAgent), []);
  });

  it("tells of agents of others in an own swarm what whoever asks may know of them, of the version that answers", async () => {
    const guest = (await owner.one("POST /rest/v1/agents", { name: "Guest" })).id;
    const [lookup] = (await owner.call("GET /rest/v1/tools?name=eq.lookup"))[1];
    await owner.one("POST /rest/v1/agent_tools", { agent_id: guest, tool_id: lookup.id });
    const add = "insert into public.swarm_agents (swarm_id, agent_id) values ($1, $2)";
    await service.query(add, [ownSwarm, guest]);
    assert.deepEqual(await receiversOf(strangerAgent), [], "without a grant it does not answer");
    const assign = "insert into public.agent_tools (agent_id, tool_id) values ($1, $2)";
    await service.query(assign, [strangerAgent, lookup.id]);
    assert.deepEqual(await receiversOf(strangerAgent), [], "a tool that its owner does not share is none of the agent");
    const row = { agent_id: guest, audience: "user", user_id: asker.id, agent_version: 1 };
    const { id } = await owner.one("POST /rest/v1/agent_grants", row);
    await asker.one("POST /functions/v1/agent-grants", { action: "accept", grant_id: id });
    assert.deepEqual(await receiversOf(strangerAgent), [], "the first version has no tool");
    await owner.call(`PATCH /rest/v1/agent_grants?id=eq.${id}`, { agent_version: null });
    assert.deepEqual(await receiversOf(strangerAgent), [new URL(service.webhookUrl).origin]);
    await owner.call(`DELETE /rest/v1/agents?id=eq.${guest}`);
  });
});

it("realtime shows a sub-task to nobody but an owner who asks, and no conversation of one to anybody", async () => {
  const published =
    "select tablename as name from pg_publication_tables where pubname = 'swarmbase' and schemaname = 'public'";
  const { rows } = await service.query<{ name: string }>(published, []);
  const people = [owner, asker];
  const sockets = await Promise.all(people.map((person) => person.follow(rows.map(({ name }) => name))));
  const told = sockets.map((socket) => (): string => JSON.stringify(socket.frames.slice(1)));
  /** All earlier changes have come when a row that follows them has. */
  const settle = async (): Promise<void> => {
    const marks: string[] = [];
    for (const person of people) marks.push((await person.one("POST /rest/v1/agents", { name: "Mark" })).id);
    await until(async () => marks.every((id, at) => told[at]?.().includes(id)), "all changes have come");
  };
  const { task } = await ask(asker);
  await settle();
  const [toOwner = "", toAsker = ""] = told.map((read) => read());
  assertWithout(toOwner, [...WORDS, task.swarm_id], "the socket of the owner");
  assert.ok(toAsker.includes("TASK-CANARY"), "the input of the call");
  assertWithout(toAsker, [...SECRETS, ...INNER, task.swarm_id], "the socket of the asker");
  for (const [at, socket] of sockets.entries())
    for (const topic of [`swarm:${task.swarm_id}`, `swarm-agents:${task.swarm_id}`]) {
      const { status } = await socket.join(`realtime:${topic}`, { private: true }, people[at]?.token, topic);
      assert.equal(status, "error", topic);
    }
  const own = await ask(owner);
  await settle();
  const { frames = [] } = sockets[0] ?? {};
  const swarms = frames.filter(([, , , , payload]: Any) => payload.data?.table === "swarms");
  assertWithout(JSON.stringify(swarms), [own.task.swarm_id], "the conversations of the owner");
  assert.ok(JSON.stringify(frames).includes(own.task.run_id), "the owner follows the run");
});
