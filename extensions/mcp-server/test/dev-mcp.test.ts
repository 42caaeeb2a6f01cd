import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type pg from "pg";
import { createTestDatabase } from "../../../server/test/support/database.ts";
import { findFreePort } from "../../../server/test/support/free-port.ts";
import type { Credentials } from "../../../server/test/support/service.ts";
import { startServiceHere } from "../../../server/test/support/service-here.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { until } from "../../../server/test/support/until.ts";
import { SEVERAL_STARTS } from "../../../server/test/support/wait-limit.ts";

const LAUNCHER = fileURLToPath(new URL("../../../server/bin/swarmbase.js", import.meta.url));
const PROGRAM = ["-C", "swarmbase-source", LAUNCHER, "mcp"];

interface Assistant {
  readonly client: Client;
  /** What the server wrote beside the protocol. */
  readonly faults: readonly string[];
  call(name: string, input?: Record<string, unknown>): Promise<{ readonly text: string; readonly isError: boolean }>;
  /** The text of a call that succeeds. */
  use(name: string, input?: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

describe("swarmbase mcp", () => {
  const closers: (() => Promise<unknown>)[] = [];
  const cleanup = { after: (close: () => Promise<unknown>) => void closers.unshift(close) };
  let env: Record<string, string>;
  let folder = "";
  let sql: pg.Client;
  let credentials: Credentials;
  const printed: string[] = [];

  async function openAssistant(...args: string[]): Promise<Assistant> {
    const faults: string[] = [];
    const client = new Client({ name: "scripted", version: "1" });
    client.onerror = ({ message }) => void faults.push(message);
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [...PROGRAM, ...args],
      cwd: folder,
      env,
      stderr: "pipe",
    });
    transport.stderr?.on("data", (part: Buffer) => void printed.push(part.toString()));
    await client.connect(transport);
    const close = () => client.close();
    cleanup.after(close);
    const call: Assistant["call"] = async (name, input = {}) => {
      const { content, isError = false } = await client.callTool({ name, arguments: input }, { timeout: 170_000 });
      const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
      printed.push(text);
      return { text, isError };
    };
    const use: Assistant["use"] = async (name, input) => {
      const { text, isError } = await call(name, input);
      assert.equal(isError, false, text);
      return text;
    };
    return { client, faults, call, use, close };
  }

  async function write(path: string, text: string): Promise<void> {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }

  before(async () => {
    const { owner, adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = await createTestDatabase(cleanup);
    sql = owner;
    const dataDir = await createTemporaryFolder(cleanup, "swarmbase-mcp-");
    folder = await createTemporaryFolder(cleanup, "swarmbase-app-");
    const service = { DATABASE_URL, MASTER_KEY, NODE_ENV: "test", WEBHOOK_RETRY_SCHEDULE: "0,1" };
    ({ credentials } = await startServiceHere(cleanup, { dataDir, env: service }));
    env = { PATH: process.env["PATH"] ?? "", ...service, DATA_DIR: dataDir, SWARMBASE_OWNER: "app@example.com" };
  });
  after(async () => {
    for (const close of closers) await close();
  });

  test("lets a scripted client build a small app", SEVERAL_STARTS, async () => {
    const { client, faults, use, call, close } = await openAssistant("--allow-writes");
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name),
      ["push_migrations", "apply", "run_eval"],
    );
    assert.match(client.getInstructions() ?? "", /^Tools for an app on Swarmbase/);

    const schema = await use("describe_schema");
    assert.match(schema, /^ public \| agents +\| table/m);
    assert.doesNotMatch(schema, /orders/);

    const created = JSON.parse(
      await use("sql", { statement: "create table public.orders (id int primary key, customer uuid, state text)" }),
    ) as object;
    assert.deepEqual(created, { command: "CREATE", row_count: null, columns: [], rows: [], is_truncated: false });
    await write(
      "migrations/0001_orders.sql",
      `alter table public.orders enable row level security;
create policy own on public.orders for select to authenticated using (customer = auth.uid());
grant select on public.orders to authenticated;
create function public.my_orders() returns setof public.orders language sql stable as 'select * from public.orders';
grant execute on function public.my_orders() to authenticated;
`,
    );
    assert.match(await use("push_migrations"), /0001_orders/);
    const table = await use("describe_schema", { name: "orders" });
    assert.match(table, /own for select to authenticated using \(\(?customer = auth\.uid\(\)\)?\)/);
    assert.match(table, /Row-level security:\n {4}enabled/);

    const port = await findFreePort();
    await write(
      "swarmbase/tools/my_orders.yaml",
      "key: my_orders\nname: my_orders\ndescription: Lists the orders.\nkind: rpc\nconfig:\n  function: my_orders\n",
    );
    await write(
      "swarmbase/webhooks/app.yaml",
      `key: app\nname: App\nurl: https://127.0.0.1:${port}/hook?key=private\nevents: [agent.updated]\n`,
    );
    const agent = (prompt: string): string =>
      `key: clerk\nname: Clerk\nsystem_prompt: ${prompt}\nacts_for_askers: true\ntools:\n  my_orders: {}\n  builtin/calculator: {}\n`;
    await write("swarmbase/agents/clerk.yaml", agent("Answer."));
    const plan = await use("plan");
    assert.match(plan, /^\+ agent +clerk/m);
    assert.match(plan, /^\+ assignment +clerk → my_orders/m);
    assert.deepEqual((await sql.query("select from public.agents")).rowCount, 0, "a plan changes nothing");
    assert.match(await use("apply"), /^Applied\./m);
    assert.match(await use("plan", { dir: "swarmbase", owner: "app@example.com" }), /^No changes/m);
    const rows = JSON.parse(
      await use("sql", { statement: "select name, 1 as one, null as nothing from public.agents" }),
    ) as {
      readonly rows: unknown;
    };
    assert.deepEqual(rows.rows, [["Clerk", "1", null]]);

    await write(
      "evals.yaml",
      `name: clerk\ncases:\n  - name: repeats\n    input: When do you open?\n    expectation: { kind: contains, texts: [open] }\n`,
    );
    assert.match(await use("run_eval", { dataset: "evals.yaml", agent: "Clerk" }), /^1 of 1 passed/m);
    assert.match(await use("read_logs", { source: "model_calls", all: true }), /"succeeded"/);

    await write("swarmbase/agents/clerk.yaml", agent("Answer briefly."));
    await use("apply");
    await until(
      async () => /"(?:failed|retrying)"/.test(await use("read_logs", { source: "deliveries" })),
      "a delivery fails",
    );
    const deliveries = await use("read_logs", { source: "deliveries" });
    assert.match(deliveries, /"agent\.updated","App","https:\/\/127\.0\.0\.1:\d+\/hook"/);
    assert.match(deliveries, /ECONNREFUSED|refused/i);
    assert.doesNotMatch(deliveries, /private/);
    for (const source of ["runs", "tool_calls"]) assert.match(await use("read_logs", { source }), /"rows":\[\]/);
    const lines = await call("read_logs", { source: "service" });
    assert.deepEqual([lines.isError, /only with the extension operator/.test(lines.text)], [true, true]);

    assert.match(await use("search_docs", { query: "verify webhook" }), /^ {2}\S+#\S+$/m);
    assert.match(await use("read_docs", { page: "guides/agents#streaming" }), /^## Streaming/);
    await close();
    assert.deepEqual(faults, []);
  });

  test("explains what is wrong, and takes no input for an option or a second statement", async () => {
    const { call, close } = await openAssistant("--allow-writes");
    const wrong = [
      ["describe_schema", { name: "orders\ndrop table public.orders;" }, /pattern/],
      ["plan", { dir: "--delete" }, /The folder --delete has no files/],
      ["plan", { unknown: true }, /additional/i],
      ["run_eval", { dataset: "--store", agent: "Clerk" }, /--store/],
      ["search_docs", { query: "--xyzzy" }, /No page has these words/],
      ["read_logs", { source: "users" }, /allowed|enum|equal/],
      ["sql", { statement: "select 1; select 2" }, /cannot insert multiple commands/],
      ["sql", { statement: "select nowhere" }, /column "nowhere" does not exist \(42703\) at character 8/],
    ] as const;
    for (const [name, input, message] of wrong) {
      const { text, isError } = await call(name, input);
      assert.equal(isError, true, `${name} ${JSON.stringify(input)}: ${text}`);
      assert.match(text, message);
    }
    await close();
  });

  test("returns at most 200 rows and 50,000 characters, without reading the rest", async () => {
    const { use, close } = await openAssistant();
    const read = async (statement: string) =>
      JSON.parse(await use("sql", { statement })) as { readonly rows: string[][]; readonly is_truncated: boolean };
    const many = await read("select generate_series(1, 1000000000)");
    assert.deepEqual([many.rows.length, many.is_truncated], [200, true]);
    const exact = await read("select n from generate_series(1, 200) as n");
    assert.deepEqual([exact.rows.length, exact.is_truncated], [200, false]);
    const wide = await read("select repeat('x', 3000) from generate_series(1, 200)");
    assert.deepEqual([wide.rows.length, wide.is_truncated], [16, true]);
    const long = await read("select repeat('x', 10000000)");
    assert.deepEqual([long.rows[0]?.[0]?.length, long.is_truncated], [4001, true]);
    await close();
  });

  test("changes nothing without --allow-writes", async () => {
    await sql.query(`create table public.kept (n int); insert into public.kept values (1);
      create function public.add_kept() returns int language sql security definer as 'insert into public.kept values (2) returning n'`);
    const { rows: backends } = await sql.query<{ pid: number }>(
      // One that stays: pools close connections that are not used.
      "select pid from pg_stat_activity where usename = 'sb_service' and application_name = 'swarmbase-webhooks'",
    );
    const { client, call, close } = await openAssistant();
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["describe_schema", "sql", "plan", "read_logs", "search_docs", "read_docs"],
    );
    assert.match(client.getInstructions() ?? "", /without --allow-writes/);
    for (const name of ["push_migrations", "apply", "run_eval"]) {
      const { text, isError } = await call(name, { dataset: "evals.yaml", agent: "Clerk" });
      assert.deepEqual([isError, /--allow-writes/.test(text)], [true, true]);
    }
    const rejected: Readonly<Record<string, RegExp>> = {
      "insert into public.kept values (3)": /without --allow-writes/,
      "create table public.made ()": /without --allow-writes/,
      "set transaction read write": /without --allow-writes/,
      commit: /without --allow-writes/,
      "prepare transaction 'kept'": /without --allow-writes/,
      "do $$ begin set transaction read write; delete from public.kept; end $$": /without --allow-writes/,
      "copy public.kept to program 'id'": /without --allow-writes/,
      "/* select /* */ */ delete from public.kept": /without --allow-writes/,
      "-- select\ndelete from public.kept": /without --allow-writes/,
      "select 1; delete from public.kept": /multiple commands/,
      "select 1; commit; delete from public.kept": /multiple commands/,
      "with gone as (delete from public.kept returning n) select n from gone": /read-only transaction/,
      "explain analyze delete from public.kept": /read-only transaction/,
      "select n into public.made from public.kept": /read-only transaction/,
      "select public.add_kept()": /read-only transaction/,
      "select set_config('transaction_read_only', 'off', true), public.add_kept()": /before any query/,
      "select query_to_xml('delete from public.kept', true, true, '')": /read-only|non-volatile/,
      "select nextval('private.agent_status_marks_seq_seq')": /read-only transaction/,
      "select pg_read_file('/etc/passwd')": /permission denied/,
      "select lo_export(1, '/tmp/kept')": /permission denied/,
      "select lo_import('/etc/passwd')": /permission denied|read-only/,
      [`select pg_terminate_backend(${backends[0]?.pid ?? 0})`]: /permission denied/,
    };
    for (const [statement, message] of Object.entries(rejected)) {
      const { text, isError } = await call("sql", { statement });
      assert.equal(isError, true, `${statement}: ${text}`);
      assert.match(text, message, statement);
    }
    assert.match((await call("sql", { statement: " ( select n from public.kept)" })).text, /"rows":\[\["1"\]\]/);
    assert.deepEqual((await sql.query("select n from public.kept")).rows, [{ n: 1 }]);
    assert.deepEqual((await sql.query("select to_regclass('public.made') as made")).rows, [{ made: null }]);
    await close();
  });

  test("ends with its input, and prints nothing but messages of the protocol", async () => {
    const server = spawn(process.execPath, PROGRAM, { cwd: folder, env });
    let output = "";
    server.stdout.on("data", (part: Buffer) => void (output += part.toString()));
    const initialize = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
    };
    server.stdin.write(`${JSON.stringify(initialize)}\nnot a message\n`);
    await until(() => output.includes("\n"), "the server answers");
    server.stdin.end();
    const [code] = (await once(server, "close")) as [number | null];
    assert.equal(code, 0);
    const messages = output
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly jsonrpc: string });
    assert.deepEqual(
      messages.map(({ jsonrpc }) => jsonrpc),
      ["2.0"],
    );
  });

  test("shows no key, and says how to reach a service when there is none", async () => {
    const elsewhere = await createTemporaryFolder(cleanup, "swarmbase-none-");
    const { DATABASE_URL: _url, MASTER_KEY: _key, ...others } = env;
    env = { ...others, DATA_DIR: elsewhere };
    const { call, close } = await openAssistant();
    for (const [name, input] of [
      ["sql", { statement: "select 1" }],
      ["plan", {}],
    ] as const) {
      const { text, isError } = await call(name, input);
      assert.equal(isError, true);
      assert.match(text, /has not been started|No service is named/);
    }
    await close();
    const all = printed.join("\n");
    assert.doesNotMatch(all, /Warning/, "calls leave nothing behind");
    for (const secret of [
      credentials.service_role_key,
      credentials.anon_key,
      new URL(credentials.database_url).password,
    ])
      assert.ok(secret.length > 10 && !all.includes(secret));
  });
});
