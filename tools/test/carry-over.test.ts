import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { describe, it } from "node:test";
import type pg from "pg";
import { askOver } from "../schema/ask.ts";
import { renderSchema } from "../schema/render-schema.ts";
import { compareMigrations, connectClient, migrate } from "../../server/src/db/index.ts";
import { type Cleanup, createTestDatabase } from "../../server/test/support/database.ts";
import { silentObserver } from "../../server/test/support/silent-observer.ts";
import {
  buildDatabaseAt0016,
  buildLegacyDatabase,
  type LegacyDatabase,
} from "../../server/test/schema/support/legacy-database.ts";

const FIRST = 37;
const ALL = 47;
/** Those, and the step that brings white space up to date. */
const STEPS = 48;

/** New migrations can have the same numbers. */
const legacySteps = new Set(await readdir(new URL("../../server/migrations/legacy/", import.meta.url)));

const migrateLegacy = ({ adminUrl, masterKey }: LegacyDatabase): Promise<{ applied: string[] }> =>
  migrate({ adminUrl, masterKey, observer: silentObserver, settings: { agentLimitPerUser: 100 } });

/** Values of all rows by the ids of table and column, which survive renames. Bookkeeping tables are excluded. */
async function readRows(client: pg.Client, columns?: ReadonlyMap<string, readonly number[]>) {
  const { rows: tables } = await client.query<{ oid: string; name: string; numbers: number[]; names: string[] }>(
    `select c.oid::text, c.oid::regclass::text as name, array_agg(a.attnum::int order by a.attnum) as numbers,
       array_agg(quote_ident(a.attname) order by a.attnum) as names
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind = 'r' and c.relnamespace::regnamespace::text in ('auth', 'partitions', 'private', 'public', 'realtime')
       and c.relname not in ('migrations', 'function_files')
     group by c.oid order by c.oid`,
  );
  const found = new Map<string, { numbers: readonly number[]; values: string[] }>();
  for (const { oid, name, numbers, names } of tables) {
    const wanted = columns === undefined ? numbers : (columns.get(oid) ?? []);
    if (wanted.length === 0) continue;
    const list = wanted.map((number) => names[numbers.indexOf(number)]).join(", ");
    const { rows } = await client.query<{ row: string }>(`select (row(${list}))::text as row from ${name} order by 1`);
    found.set(oid, { numbers: wanted, values: rows.map(({ row }) => row) });
  }
  return found;
}

async function connectToFresh(t: Cleanup): Promise<pg.Client> {
  const { adminUrl } = await createTestDatabase(t);
  const client = await connectClient(adminUrl);
  t.after(() => client.end());
  return client;
}

async function expectSameSchema(client: pg.Client, freshClient: pg.Client): Promise<void> {
  assert.equal(await renderSchema(askOver(client)), await renderSchema(askOver(freshClient)));
  for (const table of ["private.migrations", "private.function_files"]) {
    const read = `select * from ${table} order by name`;
    const strip = (row: Record<string, unknown>) => [row["name"], row["hash"]];
    const [ours, theirs] = await Promise.all([client.query(read), freshClient.query(read)]);
    assert.deepEqual(ours.rows.map(strip), theirs.rows.map(strip));
  }
}

async function expectSameRows(client: pg.Client, before: Awaited<ReturnType<typeof readRows>>): Promise<void> {
  const columns = new Map([...before].map(([oid, { numbers }]) => [oid, numbers]));
  assert.deepEqual(await readRows(client, columns), before);
}

describe("a database of the earlier numbering", () => {
  for (const count of [FIRST, ALL]) {
    it(`with ${count} migrations is migrated to the schema of a new database, and keeps its rows`, async (t) => {
      const legacy = await buildLegacyDatabase(t, count);
      const { client } = legacy;
      await client.query("set search_path = ''");
      const before = await readRows(client);
      if (count === FIRST)
        for (const { values } of before.values()) assert.ok(values.length > 0, "every table has rows");
      const { pending, unknown } = await compareMigrations(client);
      assert.deepEqual(unknown, []);
      const runs = await Promise.all([migrateLegacy(legacy), migrateLegacy(legacy)]);
      const [applied = [], none] = runs.map((run) => run.applied).toSorted((a, b) => b.length - a.length);
      assert.deepEqual(none, []);
      assert.deepEqual(applied, pending);
      assert.equal(applied.filter((name) => legacySteps.has(`${name}.sql`)).length, STEPS - count);

      const freshClient = await connectToFresh(t);
      await expectSameSchema(client, freshClient);
      await expectSameRows(client, before);
      const { rows: versions } = await client.query<{ number: number | null; is_same: boolean }>(
        `select v.number, (v.system_prompt, v.settings) is not distinct from (a.system_prompt, a.settings)
           and jsonb_array_length(v.tools) = (select count(*) from public.agent_tools t where t.agent_id = a.id) as is_same
         from public.agents a left join public.agent_versions v on v.agent_id = a.id`,
      );
      assert.ok(versions.length > 0, "the database has agents");
      for (const version of versions) assert.deepEqual(version, { number: 1, is_same: true });
      const tools =
        "select id, name, input_schema from public.tools where kind = 'builtin' and id::text ~ '^019a8000' order by id";
      assert.deepEqual((await client.query(tools)).rows, (await freshClient.query(tools)).rows);
      assert.deepEqual((await migrateLegacy(legacy)).applied, []);
    });
  }

  const strangers: readonly { title: string; change: string; found: RegExp }[] = [
    {
      title: "older than can be carried over",
      change: "delete from private.migrations where name > '0031'",
      found: /ends with 0030_hardening; lacks 0031_quick_runs, .*0037_cheap_looks\. .* from 0037_cheap_looks on/,
    },
    {
      title: "with a migration that nobody knows",
      change: "insert into private.migrations (name, run_on) values ('0038_of_mine', now())",
      found: /ends with 0038_of_mine; has 0038_of_mine, which this release does not know/,
    },
    {
      title: "with a gap",
      change: "insert into private.migrations (name, run_on) values ('0040_run_bounds', now())",
      found: /ends with 0040_run_bounds; lacks 0038_provider_shares, 0039_repeated_writes/,
    },
  ];
  it("is not changed when its history is unknown", async (t) => {
    const legacy = await buildLegacyDatabase(t, FIRST);
    const read = async () => (await legacy.client.query("select id, name from private.migrations order by id")).rows;
    for (const { title, change, found } of strangers) {
      const before = await read();
      await legacy.client.query(change);
      const changed = await read();
      await assert.rejects(migrateLegacy(legacy), found, title);
      assert.deepEqual(await read(), changed);
      await legacy.client.query("delete from private.migrations");
      for (const { id, name } of before)
        await legacy.client.query("insert into private.migrations (id, name, run_on) values ($1, $2, now())", [
          id,
          name,
        ]);
    }
    assert.notDeepEqual((await migrateLegacy(legacy)).applied, []);
  });
});

describe("a table that becomes partitioned", () => {
  it("is left as it is while objects of the operator refer to it", async (t) => {
    const legacy = await buildLegacyDatabase(t, ALL);
    const { client } = legacy;
    await client.query("create view public.mine as select id from public.webhook_deliveries");
    await assert.rejects(migrateLegacy(legacy), /become partitioned are used by view (public\.)?mine/);
    const { rows } = await client.query(
      "select from pg_class where oid = 'public.webhook_deliveries'::regclass and relkind = 'r'",
    );
    assert.equal(rows.length, 1);
    await client.query("drop view public.mine");
    assert.ok((await migrateLegacy(legacy)).applied.includes("0046_partitions"));
  });
});

describe("a database of the first 16 migrations", () => {
  it("is migrated to the schema of a new database, and keeps its rows", async (t) => {
    const old = await buildDatabaseAt0016(t, ALL);
    const { client } = old;
    await client.query("set search_path = ''");
    const before = await readRows(client);
    const { rows } = await client.query("select 1 from private.webhook_lanes");
    assert.ok(rows.length > 0, "the table that is renamed has rows");
    const { applied } = await migrateLegacy(old);
    assert.ok(applied.includes("0018_plain_names"));

    await expectSameSchema(client, await connectToFresh(t));
    await expectSameRows(client, before);
    // PostgreSQL 18 names not-null constraints, which the rendered schema leaves out.
    const { rows: kept } = await client.query(
      `select conname from pg_constraint where conname ~ 'lane' union all select relname from pg_class where relname ~ 'lane'`,
    );
    assert.deepEqual(kept, []);
    assert.deepEqual((await migrateLegacy(old)).applied, []);
  });
});
