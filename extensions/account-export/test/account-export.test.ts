import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { TOTP } from "otpauth";
import { Agent, fetch as fetchWith } from "undici";
import { createTestDatabase, type TestDatabase } from "../../../server/test/support/database.ts";
import { type ServiceHere, startServiceHere } from "../../../server/test/support/service-here.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { WAIT_MS } from "../../../server/test/support/wait-limit.ts";
import { EXPORTED_TABLES, NOT_EXPORTED } from "../src/exported-tables.ts";
import { Account, type Row } from "./support/account.ts";
import { EXPECTED_ROWS } from "./support/expected-rows.ts";
import { fillAccount, type FilledAccount, join, talk } from "./support/fill-account.ts";

const EXTENSION = fileURLToPath(new URL("../src/index.ts", import.meta.url));
/** Less than the least number of rows of some tables, so that these need several pages. */
const MAX_ROWS = "2";
const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let database: TestDatabase;
let service: ServiceHere;
let ada: Account;
let bob: Account;
let filled: Readonly<Record<"ada" | "bob", FilledAccount>>;

interface ExportedAccount {
  readonly exported_at: string;
  readonly user: Row;
  readonly tables: Readonly<Record<string, readonly Row[]>>;
}

const open = (bearer: string | null, signal?: AbortSignal, from = service): Promise<Response> =>
  sendTo(from)(new URL("/account-export", from.credentials.url), {
    ...(bearer !== null && { headers: { authorization: `Bearer ${bearer}` } }),
    ...(signal !== undefined && { signal }),
  });

async function readExport(
  bearer: string,
  from = service,
): Promise<{ readonly text: string; readonly data: ExportedAccount }> {
  const response = await open(bearer, undefined, from);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return { text, data: JSON.parse(text) as ExportedAccount };
}

/** `fetch` that trusts the certificate of the service. */
function sendTo({ credentials }: ServiceHere): typeof fetch {
  const dispatcher = new Agent({ connect: { ca: readFileSync(credentials.ca_cert_file ?? "", "utf8") } });
  closers.unshift(() => dispatcher.destroy());
  return ((url: string | URL, init: object) => fetchWith(url, { ...init, dispatcher })) as unknown as typeof fetch;
}

async function startNode(env: Readonly<Record<string, string>>): Promise<ServiceHere> {
  return startServiceHere(cleanup, {
    dataDir: await createTemporaryFolder(cleanup, "swarmbase-account-export-"),
    env: {
      DATABASE_URL: database.adminUrl,
      MASTER_KEY: database.masterKey,
      EXTENSIONS: EXTENSION,
      PROVIDER_A_KIND: "simulated",
      DB_LOCK_TIMEOUT_MS: String(WAIT_MS),
      DB_STATEMENT_TIMEOUT_MS: String(WAIT_MS),
      ...env,
    },
  });
}

before(async () => {
  database = await createTestDatabase(cleanup);
  service = await startNode({ DB_MAX_ROWS: MAX_ROWS });
  const { credentials } = service;
  const send = sendTo(service);
  ada = await new Account("ada@example.com", credentials, send).enter("signup");
  bob = await new Account("bob@example.com", credentials, send).enter("signup");
  const hookUrl = new URL("/health", credentials.url.replace("127.0.0.1", "localhost")).href;
  filled = {
    ada: await fillAccount(ada, "adas-own", hookUrl),
    bob: await fillAccount(bob, "bobs-own", hookUrl),
  };
  await join(ada, filled.ada.swarmId, bob);
  await join(bob, filled.bob.swarmId, ada);
  await talk(ada, filled.ada.swarmId, "adas-own");
  await talk(bob, filled.bob.swarmId, "bobs-own");
  await talk(ada, filled.bob.swarmId, "ada-as-guest");
  await talk(bob, filled.ada.swarmId, "bob-as-guest");
  await database.owner.query(
    `insert into conversation_summaries (swarm_id, agent_id, up_to_seq, text)
     select swarm_id, agent_id, n, 'said' from swarm_agents, generate_series(1, 3) n`,
  );
});
after(async () => {
  for (const close of closers) await close();
});

describe("the list of tables", () => {
  test("names every table and view of the service, or says why it is not exported", async () => {
    const { rows } = await database.owner.query<{ name: string }>(
      `select c.relname as name from pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') order by 1`,
    );
    // Of an extension, which says itself how it is exported.
    const added = ["schedules", "triggers", "trigger_calls"];
    const listed = [...Object.keys(EXPORTED_TABLES), ...Object.keys(NOT_EXPORTED), ...added];
    assert.deepEqual(
      rows.map(({ name }) => name),
      listed.toSorted(),
    );
  });

  test("has the primary key of each table", async () => {
    const { rows } = await database.owner.query<{ name: string; key: string[] }>(
      `select c.relname as name, array_agg(a.attname::text order by array_position(i.indkey, a.attnum)) as key
       from pg_index i join pg_class c on c.oid = i.indrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
       where i.indisprimary and c.relnamespace = 'public'::regnamespace group by 1`,
    );
    const keys = Object.fromEntries(rows.map(({ name, key }) => [name, key]));
    for (const [name, { key }] of Object.entries(EXPORTED_TABLES)) assert.deepEqual(key, keys[name], name);
  });

  test("omits every column that is named as a credential", async () => {
    const { rows } = await database.owner.query<{ name: string; columns: string[] }>(
      `select table_name as name, array_agg(column_name::text) as columns from information_schema.columns
       where table_schema = 'public' and data_type in ('text', 'json', 'jsonb', 'bytea')
         and column_name ~ '(secret|token|hash|password|credential|headers)' group by 1`,
    );
    for (const { name, columns } of rows) {
      const { omit = [] } = EXPORTED_TABLES[name] ?? {};
      if (!Object.hasOwn(NOT_EXPORTED, name))
        assert.deepEqual(
          columns.filter((column) => !omit.includes(column)),
          [],
          name,
        );
    }
    assert.ok(rows.some(({ name }) => name === "webhooks"));
  });
});

describe("the export", () => {
  test("has all rows of the user, also those of several pages, and each once", async () => {
    for (const account of [ada, bob]) {
      const { data } = await readExport(account.token);
      assert.equal(data.user["id"], account.id);
      assert.equal(data.user["email"], account.email);
      assert.deepEqual(Object.keys(data.tables), Object.keys(EXPORTED_TABLES));
      for (const [name, { key }] of Object.entries(EXPORTED_TABLES)) {
        const { rows } = await database.owner.query<Row>(
          `select ${key.join(", ")} from ${name} where ${EXPECTED_ROWS[name]}`,
          [account.id],
        );
        const toKeys = (all: readonly Row[]): string[] =>
          all.map((row) => key.map((column) => row[column]).join()).sort();
        assert.deepEqual(toKeys(data.tables[name] ?? []), toKeys(rows), name);
        assert.ok(rows.length > 0, `the test stores no row in ${name}`);
      }
      for (const name of ["messages", "message_revisions", "run_events", "runs"])
        assert.ok((data.tables[name]?.length ?? 0) > Number(MAX_ROWS), `${name} has more than one page`);
    }
  });

  test("has nothing that only another user may read or owns", async () => {
    const { text } = await readExport(ada.token);
    for (const word of ["adas-own", "ada-as-guest", "bob-as-guest"]) assert.ok(text.includes(word), word);
    assert.ok(
      !text.includes("bobs-own"),
      text.slice(Math.max(0, text.indexOf("bobs-own") - 300), text.indexOf("bobs-own")),
    );
  });

  test("has nothing of the owner for whoever asks an agent, and no word of these for its owner", async () => {
    const [owner, asker] = [
      await new Account("owner@example.com", service.credentials, sendTo(service)).enter("signup"),
      await new Account("asker@example.com", service.credentials, sendTo(service)).enter("signup"),
    ];
    const agentId = await owner.insert("agents", { name: "Shop", role: "sells", system_prompt: "owners-own prompt" });
    const [calculator] = (await owner.call("GET", "/rest/v1/tools?name=eq.calculator")) as unknown as Row[];
    const configuration = { note: "owners-own configuration" };
    await owner.insert("agent_tools", { agent_id: agentId, tool_id: calculator?.["id"], configuration });
    const guardrail = {
      name: "owners-own guardrail",
      stage: "output",
      kind: "pattern",
      config: { pattern: "owners-own" },
    };
    await owner.insert("guardrails", { ...guardrail, agent_id: agentId });
    const grantId = await owner.insert("agent_grants", { agent_id: agentId, audience: "user", user_id: asker.id });
    await asker.invoke("agent-grants", { action: "accept", grant_id: grantId });
    const message = 'askers-own question\n/tool calculator {"expression":"123456 * 1"}';
    const run = await asker.invoke("agent-respond", { agent_id: agentId, message });
    assert.equal(run["status"], "completed", JSON.stringify(run));

    const ofAsker = await readExport(asker.token);
    for (const word of ["askers-own question", "123456"]) assert.ok(ofAsker.text.includes(word), word);
    for (const word of ["owners-own", "provider_a"]) assert.ok(!ofAsker.text.includes(word), word);
    const ofOwner = await readExport(owner.token);
    for (const word of ["askers-own", "123456"]) assert.ok(!ofOwner.text.includes(word), word);
    const used = ofOwner.data.tables["usage_records"] ?? [];
    assert.ok(used.length > 0 && used.every((row) => row["user_id"] === asker.id && row["agent_id"] === agentId));
  });

  test("has no secrets, neither of the user nor of others", async () => {
    for (const account of [ada, bob]) {
      const { text } = await readExport(account.token);
      for (const secret of [...filled.ada.secrets, ...filled.bob.secrets]) {
        assert.ok(secret.length > 10, secret);
        assert.ok(!text.includes(secret), secret);
      }
    }
  });

  test("is a download", async () => {
    const response = await open(ada.token);
    const { exported_at: at } = (await response.json()) as ExportedAccount;
    assert.equal(response.headers.get("content-type"), "application/json; charset=utf-8");
    assert.equal(
      response.headers.get("content-disposition"),
      `attachment; filename="account-export-${at.slice(0, 10)}.json"`,
    );
  });

  test("rejects API keys, whatever their scopes", async () => {
    const scopes = ["read", "write", "run", "approve", "share", "secrets"];
    const { key } = await bob.invoke("api-keys", { action: "create", name: "export", scopes });
    const response = await open(String(key));
    assert.deepEqual([response.status, JSON.parse(await response.text()).code], [403, "API_KEY_NOT_ALLOWED"]);
  });

  test("needs a user", async () => {
    const { anon_key: anon, service_role_key: role } = service.credentials;
    for (const bearer of [null, anon, role, "nonsense"]) {
      const response = await open(bearer);
      assert.equal(response.status, 401, await response.text());
    }
  });

  test("needs the second factor of a user who has one", async () => {
    const carol = await new Account("carol@example.com", service.credentials, sendTo(service)).enter("signup");
    const factor = await carol.call("POST", "/auth/v1/factors", { factor_type: "totp", friendly_name: "Phone" });
    const { secret } = factor["totp"] as { secret: string };
    const path = `/auth/v1/factors/${String(factor["id"])}`;
    const { id } = await carol.call("POST", `${path}/challenge`, {});
    const shown = { challenge_id: id, code: new TOTP({ secret }).generate() };
    const raised = await carol.call("POST", `${path}/verify`, shown);
    assert.equal((await readExport(String(raised["access_token"]))).data.user["id"], carol.id);
    await carol.enter("token?grant_type=password");
    const response = await open(carol.token);
    assert.equal(response.status, 403);
    assert.match(await response.text(), /insufficient_aal/);
  });

  test("breaks the connection when a table cannot be read, so that nobody takes a part for the whole", async () => {
    await database.owner.query("revoke select on webhooks from authenticated");
    try {
      const response = await open(ada.token);
      assert.equal(response.status, 200);
      await assert.rejects(response.text());
    } finally {
      await database.owner.query("grant select on webhooks to authenticated");
    }
    await readExport(ada.token);
  });

  test("runs once at a time for a user, and ends when the client leaves", async () => {
    const leave = new AbortController();
    await database.owner.query("begin; lock table webhooks in access exclusive mode");
    try {
      const left = await open(bob.token, leave.signal);
      const first = await open(ada.token);
      const second = await open(ada.token);
      assert.equal(second.status, 429);
      assert.ok(Number(second.headers.get("retry-after")) > 0);
      await second.text();
      leave.abort();
      await assert.rejects(left.text());
      await database.owner.query("commit");
      const { tables } = (await first.json()) as ExportedAccount;
      assert.equal(tables["webhooks"]?.length, 1);
    } finally {
      await database.owner.query("rollback");
    }
    const deadline = Date.now() + WAIT_MS;
    let status = 0;
    for (; status !== 200 && Date.now() < deadline; await delay(50)) {
      const response = await open(bob.token);
      await response.text();
      status = response.status;
    }
    assert.equal(status, 200);
  });

  test("has the largest rows that the service accepts, which exceed the limit of one response", async () => {
    const executions = await database.owner.query<Row>(
      `with calls as (
         insert into tool_executions (run_id, turn_id, swarm_id, agent_id, tool_name, tool_call_id, status)
         select run_id, turn_id, swarm_id, agent_id, 'large', n, 'succeeded'
         from (select * from tool_executions where swarm_id = $1 order by id limit 1) x, generate_series(1, 40) n returning *)
       insert into tool_execution_payloads (tool_execution_id, swarm_id, agent_id, output)
       select id, swarm_id, agent_id, to_jsonb(repeat('x', 1000000)) from calls returning tool_execution_id as id`,
      [filled.ada.swarmId],
    );
    // In JSON, each character of the content has six bytes.
    const messages = await database.owner.query<Row>(
      `insert into messages (swarm_id, seq, sender_user_id, sender_name, content, data)
       select $1, 1000 + n, $2, 'Ada', repeat(chr(1), 100000), to_jsonb(repeat('x', 2097150)) from generate_series(1, 15) n returning id`,
      [filled.ada.swarmId, ada.id],
    );
    const { tables } = (await readExport(ada.token, await startNode({}))).data;
    for (const [name, key, { rows }] of [
      ["tool_execution_payloads", "tool_execution_id", executions],
      ["messages", "id", messages],
    ] as const) {
      const exported = (tables[name] ?? []).map((row) => row[key]);
      assert.equal(new Set(exported).size, exported.length, name);
      assert.deepEqual(
        rows.filter(({ id }) => !exported.includes(id)),
        [],
        name,
      );
    }
  });
});
