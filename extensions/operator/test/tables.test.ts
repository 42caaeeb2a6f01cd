import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CORE_COLUMNS } from "../src/tables/core-columns.ts";
import { parseCsv, renderCsvRow } from "../src/tables/csv.ts";
import { until } from "../../../server/test/support/until.ts";
import { type OperatorService, type Person, startOperatorService } from "./support/operator-service.ts";

const TABLES = "/operator/v1/tables";
const SHOP = `${TABLES}/public/shop%20items`;
const closers: (() => Promise<void>)[] = [];
let service: OperatorService;
let ada: Person;
let bob: Person;

const asAda = (method: string, path: string, body?: unknown) => service.call(ada.token, method, path, body);
const readRows = async (path: string, query: Record<string, string> = {}) => {
  const answer = await asAda("GET", `${path}/rows?${new URLSearchParams(query)}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body as { rows: Record<string, string | null>[]; next: string | null };
};
const change = (key: object, changes: object, path = SHOP) => asAda("PATCH", `${path}/rows`, { key, changes });

before(async () => {
  service = await startOperatorService({ after: (close) => void closers.unshift(close) });
  ada = await service.createOperator("ada");
  bob = await service.signUp("bob");
  await service.database.owner.query(`
    create table public."shop items" (
      id int generated always as identity primary key, "select" text, price numeric, stock bigint, tags text[],
      "note ""x"".y" jsonb, owner uuid references auth.users, api_key text, picture bytea, sold boolean,
      constraint price_positive check (price >= 0));
    insert into public."shop items" ("select", price, stock, tags, "note ""x"".y", owner, api_key, picture, sold)
    select 'item ' || n, n * 1.50, 9007199254740993, array['a,"b', null], '{"big": 12345678901234567890}', '${bob.id}',
           'sk-live-planted', '\\xdeadbeef', n % 2 = 0
      from generate_series(1, 120) n;
    update public."shop items" set price = null where id % 4 = 0;
    grant all on public."shop items" to service_role; analyze public."shop items"; notify pgrst`);
  await until(async () => (await asAda("GET", SHOP)).status === 200);
});

after(async () => {
  for (const close of closers) await close();
});

test("each column of the service's tables and views is shown or withheld by a rule", async () => {
  const { rows } = await service.database.owner.query(
    `select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'public' and table_name <> 'shop items'`,
  );
  const listed = Object.entries(CORE_COLUMNS).flatMap(([table, columns]) =>
    columns.split(" ").map((column) => `${table}.${column.replace(/^[!~]/, "")}`),
  );
  assert.deepEqual(
    rows.map(({ table, column }) => `${table}.${column}`).sort(),
    listed.sort(),
    "list a new column in core-columns.ts, with ! when it can have a credential, with ~ when it can have texts of conversations",
  );
});

test("no table shows a planted secret, in rows or in a file", async () => {
  const planted = "planted-header";
  const { owner } = service.database;
  const { rows: hooks } = await owner.query(
    `insert into public.webhooks (user_id, name, url, events, headers)
     values ($1, 'hook', 'https://u:' || $2::text || '@example.com/hook?key=' || $2::text, '{message.created}',
       jsonb_build_object('x-key', $2::text))
     returning secret, id`,
    [bob.id, planted],
  );
  const { rows: tools } = await owner.query(
    `insert into public.tools (owner_id, name, description, config)
     values ($1, 'call', 'calls', jsonb_build_object('url', 'https://example.com?key=' || $2::text,
       'max', 12345678901234567890, 'headers', jsonb_build_object('k', $2::text))) returning id`,
    [bob.id, planted],
  );
  const { rows: agents } = await owner.query(
    "insert into public.agents (user_id, name) values ($1, 'Max') returning id",
    [bob.id],
  );
  // The arguments that the owner chooses are copied to the versions of the agent.
  await owner.query(
    `insert into public.agent_tools (agent_id, tool_id, user_id, configuration)
     values ($1, $2, $3, jsonb_build_object('api_key', $4::text))`,
    [agents[0].id, tools[0].id, bob.id, planted],
  );
  await owner.query(
    `insert into public.guardrails (agent_id, name, kind, stage, config)
     values ($1, 'check', 'webhook', 'input', jsonb_build_object('url', 'https://example.com?key=' || $2::text,
       'headers', jsonb_build_object('k', $2::text)))`,
    [agents[0].id, planted],
  );
  await owner.query(
    `insert into public.webhook_deliveries (id, webhook_id, user_id, event_id, event_type, payload)
     values ($1, $1, $2, gen_random_uuid(), 'message.created', '{}')`,
    [hooks[0].id, bob.id],
  );
  await owner.query(
    `insert into public.webhook_delivery_attempts (delivery_id, webhook_id, user_id, attempt, cause, url)
     values ($1, $1, $2, 1, 'schedule', 'https://example.com/hook?key=' || $3::text)`,
    [hooks[0].id, bob.id, planted],
  );
  const { body } = await asAda("GET", TABLES);
  assert.ok(body.tables.length >= Object.keys(CORE_COLUMNS).length);
  for (const { schema, name } of body.tables) {
    const path = `${TABLES}/${schema}/${encodeURIComponent(name)}`;
    for (const part of ["rows", "csv"]) {
      const { status, text } = await asAda("GET", `${path}/${part}`);
      assert.equal(status, 200, `${name} ${text}`);
      assert.ok(!text.includes("planted") && !text.includes(hooks[0].secret), name);
    }
  }
  const [tool] = (await readRows(`${TABLES}/public/tools`, { filters: '[["name","eq","call"]]' })).rows;
  assert.equal(tool?.["config"], '{"max":12345678901234567890,"url":"https://example.com?key=***"}');
  const ofAgent = JSON.stringify([["agent_id", "eq", agents[0].id]]);
  const versions = (await readRows(`${TABLES}/public/agent_versions`, { filters: ofAgent })).rows;
  assert.match(versions.at(-1)?.["tools"] ?? "", /^\[\{"name":"call",.*"enabled":true.*\}\]$/);
  assert.match(
    versions.map(({ guardrails }) => guardrails).join(),
    /"config":\{"url":"https:\/\/example.com\?key=\*\*\*"\}/,
  );
  const [attempt] = (await readRows(`${TABLES}/public/webhook_delivery_attempts`)).rows;
  assert.equal(attempt?.["url"], "https://example.com/hook?key=***");
  const described = await asAda("GET", `${TABLES}/public/webhooks`);
  assert.deepEqual(described.body.withheld, ["secret", "headers"]);
  // A filter or an order by such a column would tell its value.
  for (const query of [
    `filters=${encodeURIComponent('[["secret","gt","whsec_c"]]')}`,
    "order=secret",
    "order=headers",
    "order=url",
  ])
    assert.equal((await asAda("GET", `${TABLES}/public/webhooks/rows?${query}`)).status, 400);
  for (const closed of ["auth/users", "private/api_keys", "ext_operator/audit", "pg_catalog/pg_authid"])
    assert.equal((await asAda("GET", `${TABLES}/${closed}`)).status, 404, closed);
});

test("no filter and no order compares a member that is not shown", async () => {
  const tools = `${TABLES}/public/tools/rows`;
  const filters = '[["config","gte","{\\"url\\":\\"\\",\\"headers\\":{\\"k\\":\\"p\\"}}"]]';
  for (const query of [{ filters }, { order: "config" }])
    assert.equal((await asAda("GET", `${tools}?${new URLSearchParams(query)}`)).status, 400, JSON.stringify(query));
  assert.equal((await asAda("GET", `${TABLES}/public/tools/csv?order=config`)).status, 400);
});

test("describes a table: keys, references, an estimate, and which columns can be edited", async () => {
  const { body } = await asAda("GET", SHOP);
  assert.deepEqual([body.key, body.withheld, body.estimated_rows], [["id"], ["api_key", "picture"], "120"]);
  const owner = body.columns.find(({ name }: { name: string }) => name === "owner");
  assert.deepEqual(owner.references, { schema: "auth", table: "users", column: "id" });
  const id = body.columns.find(({ name }: { name: string }) => name === "id");
  assert.deepEqual([id.is_editable, id.is_insertable], [false, false]);
});

test("pages have every row once, in any order, also past rows without a value", async () => {
  for (const query of [
    {},
    { order: "price" },
    { order: "price", direction: "desc" },
    { order: "id", direction: "desc" },
  ]) {
    const seen: Record<string, string | null>[] = [];
    for (let next: string | null = ""; next !== null; ) {
      const page = await readRows(SHOP, { ...query, after: next });
      seen.push(...page.rows);
      next = page.next;
    }
    assert.equal(new Set(seen.map(({ id }) => id)).size, 120, JSON.stringify(query));
    assert.equal(seen.length, 120);
    if (query.order !== "price") continue;
    const prices = seen.slice(0, 90).map(({ price }) => Number(price));
    const sign = query.direction === "desc" ? -1 : 1;
    assert.deepEqual(
      prices,
      prices.toSorted((a, b) => (a - b) * sign),
    );
    assert.ok(seen.slice(90).every(({ price }) => price === null));
  }
  const forged = Buffer.from('["price",{"a":1},"1"]').toString("base64url");
  assert.equal((await asAda("GET", `${SHOP}/rows?order=price&after=${forged}`)).status, 400);
});

test("filters take hostile names and values as what they are", async () => {
  const find = async (...filter: string[]) => (await readRows(SHOP, { filters: JSON.stringify([filter]) })).rows.length;
  assert.equal(await find("select", "contains", "ITEM 11"), 11);
  assert.equal(await find("select", "contains", "%"), 0);
  assert.equal(await find("price", "null"), 30);
  assert.equal(await find("select", "eq", 'item 1") or ("id".gt."0'), 0);
  assert.equal(await find('note "x".y', "notnull"), 50);
  for (const filters of ["{}", "[1]", '[["api_key","eq","x"]]', '[["select","fts","x"]]', '[["nope","eq","x"]]'])
    assert.equal((await asAda("GET", `${SHOP}/rows?${new URLSearchParams({ filters })}`)).status, 400, filters);
  assert.equal((await asAda("GET", `${SHOP}/rows?filters=${encodeURIComponent('[["id","eq","x"]]')}`)).status, 400);
});

test("an edit keeps every digit, obeys constraints, and is rejected when the row has changed", async () => {
  const [row] = (await readRows(SHOP, { filters: '[["id","eq","1"]]' })).rows;
  const json = 'note "x".y';
  assert.deepEqual([row?.["stock"], row?.["tags"]], ["9007199254740993", '["a,\\"b",null]']);
  const written = await change(
    { id: "1" },
    {
      stock: { from: row?.["stock"], to: "9007199254740995" },
      tags: { from: row?.["tags"], to: '["c"]' },
      [json]: { from: row?.[json], to: '{"big": 98765432109876543210}' },
      sold: { from: "false", to: "true" },
      select: { from: "item 1", to: "=1+1" },
    },
  );
  assert.equal(written.status, 200, written.text);
  const { row: stored } = written.body;
  assert.deepEqual(
    [stored.stock, stored.tags, stored[json], stored.sold, stored.select],
    ["9007199254740995", '["c"]', '{"big": 98765432109876543210}', "true", "=1+1"],
  );
  const stale = await change({ id: "1" }, { stock: { from: "9007199254740993", to: "1" } });
  assert.deepEqual([stale.status, stale.body.code], [409, "ROW_CHANGED"]);
  assert.equal((await change({ id: "999" }, { stock: { from: "1", to: "2" } })).status, 404);
  assert.equal((await change({ id: "1" }, { price: { from: "1.50", to: "-1" } })).status, 400);
  for (const changes of [{}, { id: { from: "1", to: "2" } }, { api_key: { from: null, to: "x" } }, { price: 1 }])
    assert.equal((await change({ id: "1" }, changes)).status, 400, JSON.stringify(changes));
  for (const id of ["1\u0000", "1\ud800"]) {
    const { status } = await change({ id }, { stock: { from: "1", to: "2" } });
    assert.equal(status, 400, JSON.stringify(id));
    const { rows } = await service.database.owner.query(
      "select outcome, status from ext_operator.audit where action = 'tables.edit' order by id desc limit 1",
    );
    assert.deepEqual(rows, [{ outcome: "rejected", status: 400 }], JSON.stringify(id));
  }
  // The rules of the service's own tables apply too.
  const settings = `${TABLES}/public/user_settings`;
  const rejected = await change({ user_id: bob.id }, { daily_token_budget: { from: null, to: "-1" } }, settings);
  assert.equal(rejected.status, 400);
  const { rows } = await service.database.owner.query(
    "select details from ext_operator.audit where action = 'tables.edit' order by id limit 1",
  );
  const { changes, ...details } = rows[0].details;
  assert.deepEqual(details, { key: { id: "1" }, changed: ["stock", "tags", json, "sold", "select"] });
  assert.deepEqual(changes.stock, ["9007199254740993", "9007199254740995"]);
});

test("a file has no formula, and can be read back", async () => {
  const out = await asAda("GET", `${SHOP}/csv?filters=${encodeURIComponent('[["id","lte","2"]]')}`);
  assert.match(out.headers.get("content-type") ?? "", /text\/csv/);
  const [header = "", first = ""] = out.text.split("\r\n");
  assert.equal(header, 'id,select,price,stock,tags,"note ""x"".y",owner,sold');
  assert.ok(first.startsWith("1,'=1+1,1.50,9007199254740995,"), first);

  const csv = `select,price,tags\r\n'=1+1,-0,"[""x""]"\r\n"two\nlines",,\r\n`;
  const trial = await asAda("POST", `${SHOP}/csv?trial=true`, csv);
  assert.deepEqual([trial.status, trial.body], [200, { rows: 2, is_trial: true }], trial.text);
  assert.equal((await asAda("POST", `${SHOP}/csv`, csv)).status, 201);
  const { rows } = await service.database.owner.query(
    `select "select", price::text, tags from public."shop items" where id > 120 order by id`,
  );
  assert.deepEqual(rows, [
    { select: "=1+1", price: "0", tags: ["x"] },
    { select: "two\nlines", price: null, tags: null },
  ]);
  // All rows or none.
  assert.equal((await asAda("POST", `${SHOP}/csv`, "price\n1\n-5\n")).status, 400);
  for (const bad of ["", "price\n", "api_key\nx\n", "price,price\n1,2\n", "price\n1,2\n", 'price\n"1\n', "id\n1\n"])
    assert.equal((await asAda("POST", `${SHOP}/csv`, bad)).status, 400, bad);
});

test("a file gives every text back as it was, also one that begins like an escaped formula", () => {
  const column = { name: "note" } as Parameters<typeof renderCsvRow>[0][number];
  const texts = ["=1", "'=1", "''=1", "'", "'a", "-1", "'-1", "", 'a"b,\r\n', "\t", null];
  const file = texts.map((note) => renderCsvRow([column], { note })).join("");
  assert.ok(!/^"?=/m.test(file));
  // A line of one empty cell is a null, which a line without a cell cannot tell from the end of the file.
  assert.deepEqual(
    parseCsv(file).flat(),
    texts.filter((text) => text !== null),
  );
});

test("an edit cannot send the withheld headers of a webhook to another address", async () => {
  const { rows } = await service.database.owner.query(
    `insert into public.webhooks (user_id, name, url, events, headers)
     values ($1, 'kept', 'https://example.com/kept', '{message.created}', '{"x-key": "planted"}') returning id`,
    [bob.id],
  );
  const webhooks = `${TABLES}/public/webhooks`;
  const url = { from: "https://example.com/kept", to: "https://other.example.com" };
  assert.equal((await change({ id: rows[0].id }, { url }, webhooks)).status, 400);
  const off = { from: "true", to: "false" };
  assert.equal((await change({ id: rows[0].id }, { is_active: off }, webhooks)).status, 200);
});

test("a violated constraint quotes no column that is withheld", async () => {
  const path = `${TABLES}/public/plans`;
  await service.database.owner.query(`
    create table public.plans (id int primary key, price int not null check (price > 0), api_key text,
      unique (price, api_key));
    insert into public.plans values (1, 1, 'sk-live-planted'), (2, 2, 'sk-live-planted');
    grant all on public.plans to service_role; notify pgrst`);
  await until(async () => (await asAda("GET", path)).status === 200);
  for (const [to, code, status] of [
    ["0", "23514", 400],
    [null, "23502", 400],
    ["2", "23505", 409],
  ] as const) {
    const { status: answered, body, text } = await change({ id: "1" }, { price: { from: "1", to } }, path);
    assert.deepEqual([answered, body.code, body.details], [status, code, null], text);
    assert.match(body.message, /price/);
    assert.ok(!text.includes("sk-live"), text);
  }
});

test("columns of an app are withheld by the words of their names, however these are joined", async () => {
  const withheld = ["accessToken", "passwordHash", "userAPIKey", "client-secret", "OTP", "token2", "aws_access_key"];
  const shown = ["id", "pinned", "keyboard", "isHashed", "monkey"];
  const columns = [...withheld, ...shown].map((name) => `"${name}" text`).join(", ");
  await service.database.owner.query(
    `create table public.names (${columns}, primary key (id)); grant all on public.names to service_role; notify pgrst`,
  );
  const path = `${TABLES}/public/names`;
  await until(async () => (await asAda("GET", path)).status === 200);
  const { body } = await asAda("GET", path);
  assert.deepEqual(body.withheld, withheld);
});
