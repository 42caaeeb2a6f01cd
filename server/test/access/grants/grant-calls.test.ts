import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Agent, fetch } from "undici";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { runHere } from "../../support/run-here.ts";
import { type ServiceHere, startServiceHere } from "../../support/service-here.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

/** Untyped: assertions check its members. */
type Any = ReturnType<typeof JSON.parse>;

interface Answer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: Any;
}

interface Person {
  readonly id: string;
  readonly token: string;
  send(line: string, body?: object): Promise<Answer>;
  insert(table: string, row: object): Promise<string>;
}

const RESPOND = "POST /functions/v1/agent-respond";
const closers: (() => Promise<unknown>)[] = [];
const cleanup = { after: (close: () => Promise<unknown>) => void closers.unshift(close) };
let database: TestDatabase;
let service: ServiceHere;
let dispatcher: Agent;
let dataDir: string;
let owner: Person;
let asker: Person;
let former: Person;
/** Of the owner, whom the others ask. */
const ids: Record<string, string> = {};

before(async () => {
  dataDir = await createTemporaryFolder(cleanup, "swarmbase-grant-calls-");
  database = await createTestDatabase(cleanup);
  const env = { DATABASE_URL: database.adminUrl, MASTER_KEY: database.masterKey };
  service = await startServiceHere(cleanup, { dataDir, env });
  dispatcher = new Agent({ connect: { ca: readFileSync(service.credentials.ca_cert_file ?? "", "utf8") } });
  closers.unshift(() => dispatcher.close());
  [owner, asker, former] = [await signUp("owner"), await signUp("asker"), await signUp("former")];

  const agent = await owner.insert("agents", { name: "Ada", system_prompt: "PROMPT-CANARY" });
  const tool = await owner.insert("tools", {
    name: "lookup",
    description: "finds",
    config: { url: "https://example.com/URL-CANARY" },
  });
  await owner.insert("agent_tools", { agent_id: agent, tool_id: tool });
  const webhook = await owner.insert("webhooks", { name: "h", url: "https://example.com/", events: ["agent.error"] });
  const [delivery] = (
    await database.owner.query<{ id: string }>(
      `insert into public.webhook_deliveries (webhook_id, user_id, event_id, event_type, payload, status)
       values ($1, $2, gen_random_uuid(), 'agent.error', '{}', 'failed') returning id`,
      [webhook, owner.id],
    )
  ).rows;
  const dataset = await owner.insert("eval_datasets", { name: "first" });
  const schedule = await owner.insert("schedules", { name: "s", agent_id: agent, message: "Hello", cron: "0 9 * * *" });
  const trigger = await owner.insert("triggers", {
    name: "t",
    agent_id: agent,
    message: "Hello",
    verification: "bearer",
  });
  Object.assign(ids, { owner: owner.id, agent, tool, webhook, delivery: delivery?.id, dataset, schedule, trigger });
  await grant(asker);
  const withdrawn = await grant(former);
  for (const person of [asker, former])
    assert.equal((await person.send(RESPOND, { agent_id: agent, message: "QUESTION-CANARY" })).status, 200);
  await owner.send(`DELETE /rest/v1/agent_grants?id=eq.${withdrawn}`);
});
after(async () => {
  for (const close of closers) await close();
});

async function signUp(name: string): Promise<Person> {
  const { url, anon_key: apikey } = service.credentials;
  const request = async (line: string, body?: object, token?: string): Promise<Answer> => {
    const [method = "", path = ""] = line.split(" ");
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const { status, headers, ...response } = await fetch(new URL(path, url), {
      method,
      dispatcher,
      headers: { apikey, "content-type": "application/json", prefer: "return=representation", ...authorization },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).then(async (answer) => ({ status: answer.status, headers: answer.headers, text: await answer.text() }));
    return { status, headers, body: response.text === "" ? null : JSON.parse(response.text) };
  };
  const account = { email: `${name}@example.com`, password: "correct horse battery" };
  const { access_token: token, user } = (await request("POST /auth/v1/signup", account)).body;
  const send: Person["send"] = (line, body) => request(line, body, token);
  return {
    id: user.id,
    token,
    send,
    async insert(table, row) {
      const { status, body } = await send(`POST /rest/v1/${table}`, row);
      assert.equal(status, 201, JSON.stringify(body));
      return body[0].id;
    },
  };
}

async function grant(person: Person, more: object = {}): Promise<string> {
  const id = await owner.insert("agent_grants", {
    agent_id: ids["agent"],
    audience: "user",
    user_id: person.id,
    ...more,
  });
  await person.send("POST /functions/v1/agent-grants", { action: "accept", grant_id: id });
  return id;
}

/** Tables of what the owner has, with the column that names the owner. */
const OWNED = {
  agents: "user_id",
  agent_tools: "user_id",
  tools: "owner_id",
  webhooks: "user_id",
  webhook_deliveries: "user_id",
  eval_cases: "user_id",
  eval_runs: "user_id",
};

/** Without what changes with the answers of the agent. */
async function readOwned(): Promise<unknown> {
  const tables = Object.entries(OWNED).map(
    ([table, column]) => `(select jsonb_agg(to_jsonb(t) - 'status' - 'updated_at' order by t.id)
      from public.${table} t where t.${column} = '${owner.id}') as ${table}`,
  );
  return (await database.owner.query(`select ${tables.join()}`)).rows;
}

describe("a call that names what the owner of the agent has", () => {
  const respond = (more: object) => [RESPOND, { agent_id: ":agent", ...more }, "PERMISSION_DENIED"] as const;
  const invoke = (name: string, body: object, code: string) => [`POST /functions/v1/${name}`, body, code] as const;
  const insert = (table: string, row: object, code = "VALIDATION_ERROR") =>
    [`POST /rest/v1/${table}`, row, code] as const;
  const assignment = { agent_id: ":agent", tool_id: ":tool" };
  const batch = { operations: [{ method: "POST", path: "/agent_tools", body: assignment }] };
  const evalCase = { name: "x", input: "x", expectation: { kind: "exact", text: "x" } };
  const cases: Record<string, readonly [line: string, body: object, code: string]> = {
    "another prompt": respond({ message: "Hello", system_prompt: "x" }),
    "another version": respond({ message: "Hello", agent_version: 1 }),
    "messages that are not stored": respond({ messages: [{ role: "user", content: "x" }], store: false }),
    "a former version": ["POST /rest/v1/rpc/restore_agent_version", { agent_id: ":agent", number: 1 }, "PT404"],
    "a test of the tool": invoke("tools", { action: "test", tool_id: ":tool", input: {} }, "TOOL_NOT_FOUND"),
    "the list of a tool": invoke("tools", { action: "list", tool_id: ":tool" }, "TOOL_NOT_FOUND"),
    "a sample for the webhook": invoke(
      "test-webhook",
      { webhook_id: ":webhook", event_type: "agent.error" },
      "FORBIDDEN",
    ),
    "a new secret": invoke("webhooks", { action: "regenerate_secret", webhook_id: ":webhook" }, "FORBIDDEN"),
    "a delivery again": invoke("webhook-dispatcher", { action: "retry", delivery_id: ":delivery" }, "FORBIDDEN"),
    "a run of the schedule": invoke("schedules", { action: "run_now", schedule_id: ":schedule" }, "NOT_FOUND"),
    "a secret of the trigger": invoke("triggers", { action: "set_secret", trigger_id: ":trigger" }, "NOT_FOUND"),
    "a batch with the tool": invoke("batch", batch, "PERMISSION_DENIED"),
    "an agent of the owner": insert("agents", { name: "x", user_id: ":owner" }, "PERMISSION_DENIED"),
    "an eval case": insert("eval_cases", { dataset_id: ":dataset", ...evalCase }),
    "an eval run": insert("eval_runs", { dataset_id: ":dataset", agent_id: ":agent", agent_version: 1 }),
  };
  for (const [title, [line, body, code]] of Object.entries(cases))
    test(`${title}: is rejected for those who ask, tells nothing and changes nothing`, async () => {
      const earlier = await readOwned();
      const named = JSON.stringify(body).replaceAll(/":(\w+)"/g, (_, name: string) => JSON.stringify(ids[name]));
      for (const person of [asker, former]) {
        const answer = await person.send(line, JSON.parse(named));
        assert.equal(answer.body?.code, code, JSON.stringify(answer.body));
        assert.doesNotMatch(JSON.stringify(answer.body), /CANARY|example\.com|provider_/);
      }
      assert.deepEqual(await readOwned(), earlier);
    });
});

test("the place of an agent in somebody else's conversation is changed by its owner as if it did not exist", async () => {
  const [place] = (await asker.send(`GET /rest/v1/swarm_agents?agent_id=eq.${ids["agent"]}`)).body;
  for (const filter of ["id=eq.", `agent_id=eq.${ids["agent"]}&id=eq.`])
    for (const line of [`DELETE /rest/v1/swarm_agents?${filter}`, `PATCH /rest/v1/swarm_agents?${filter}`]) {
      const [hidden, missing] = await Promise.all(
        [place.id, randomUUID()].map(async (id) => {
          const { status, body } = await owner.send(
            line + id,
            line.startsWith("PATCH") ? { enabled: false } : undefined,
          );
          return [status, body];
        }),
      );
      assert.deepEqual(hidden, missing, line);
    }
  assert.equal((await asker.send(`GET /rest/v1/swarm_agents?id=eq.${place.id}`)).body[0].enabled, true);
});

test("the daily limit of an asker is a 429 that says how long the day is, and others go on", async () => {
  const limited = await signUp("limited");
  await grant(limited, { runs_per_day: 1 });
  const ask = { agent_id: ids["agent"], message: "Hello" };
  assert.equal((await limited.send(RESPOND, ask)).status, 200);
  const { status, headers, body } = await limited.send(RESPOND, ask);
  assert.deepEqual([status, body.code], [429, "RATE_LIMITED"]);
  const secondsLeft = 86_400 - (Math.floor(Date.now() / 1000) % 86_400);
  const difference = Math.abs(Number(headers.get("retry-after")) - secondsLeft);
  assert.ok(Math.min(difference, 86_400 - difference) <= 60, `${headers.get("retry-after")} of ${secondsLeft}`);
  assert.equal((await asker.send(RESPOND, ask)).status, 200);
});

test("an eval of the agent is its owner's alone, and reads nothing of the conversations with it", async () => {
  const file = join(dataDir, "evals.json");
  const asks = { name: "asks", input: "CASE-CANARY", expectation: { kind: "contains", texts: ["CASE-CANARY"] } };
  await writeFile(file, JSON.stringify({ name: "second", cases: [asks] }));
  const evaluate = (person: Person) =>
    runHere(["eval", file, "--agent", ids["agent"] ?? "", "--json"], {
      DATA_DIR: dataDir,
      SWARMBASE_ACCESS_TOKEN: person.token,
    });
  for (const person of [asker, former]) {
    const { code, stdout, stderr } = await evaluate(person);
    assert.notEqual(code, 0, stdout);
    assert.doesNotMatch(stdout + stderr, /CANARY/);
  }
  const own = await evaluate(owner);
  assert.equal(own.code, 0, own.stderr);
  assert.match(own.stdout, /CASE-CANARY/);
  assert.doesNotMatch(own.stdout, /QUESTION-CANARY/);
  for (const table of ["eval_datasets", "eval_cases", "eval_runs", "eval_results"]) {
    assert.ok((await owner.send(`GET /rest/v1/${table}`)).body.length > 0, table);
    for (const person of [asker, former])
      assert.deepEqual((await person.send(`GET /rest/v1/${table}?user_id=eq.${owner.id}`)).body, [], table);
  }
  for (const table of ["swarms", "messages", "runs", "tool_executions", "usage_records"]) {
    const read = async (person: Person): Promise<string> =>
      JSON.stringify((await person.send(`GET /rest/v1/${table}`)).body);
    for (const person of [asker, former]) assert.doesNotMatch(await read(person), /CASE-CANARY/, table);
    assert.doesNotMatch(await read(owner), /QUESTION-CANARY/, table);
  }
});
