import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { readDescribedTables, type TableDescription } from "@swarmbase/reference";
import { openDatabase } from "../../server/src/db/index.ts";
import { readRunMaxima } from "../../server/src/agents/index.ts";
import { loadSettings } from "../../server/src/config/index.ts";
import { allRules } from "../../server/src/tables/index.ts";
import { createTestDatabase, type TestDatabase } from "../../server/test/support/database.ts";
import { silentObserver } from "../../server/test/support/silent-observer.ts";
import { tablePages } from "../documents/render-tables-reference.ts";
import { readBounds } from "../tables/read-checks.ts";
import { readTables } from "../tables/read-tables.ts";

interface Bounded {
  readonly type: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

describe("the settings of swarms in the OpenAPI document", () => {
  const file = new URL("../../docs/reference/openapi.json", import.meta.url);
  const { components } = JSON.parse(readFileSync(file, "utf8")) as {
    components: { schemas: { SwarmSettings: { properties: Record<string, Bounded> } } };
  };
  // The document is the same whatever the operator permits.
  const runMaxima = readRunMaxima(
    loadSettings({ AGENT_RUN_MAX_SECONDS: "604800", AGENT_RUN_MAX_TOOL_STEPS: "1000", AGENT_RUN_MAX_CALLS: "10000" }),
  );
  const { settings } = allRules({ findUrlFault: () => null, tools: null, runMaxima }).get("swarms")?.fields ?? {};
  const isAccepted = (name: string, value: unknown): boolean =>
    settings?.check({ [name]: value } as never).length === 0;

  for (const [name, { type, enum: values, minimum, maximum }] of Object.entries(
    components.schemas.SwarmSettings.properties,
  )) {
    it(`have the bounds of the service: ${name}`, () => {
      for (const value of values ?? []) assert.ok(isAccepted(name, value), value);
      if (minimum !== undefined && maximum !== undefined) {
        const [low, high] = [minimum, maximum];
        assert.deepEqual(
          [low - 1, low, high, high + 1].map((value) => isAccepted(name, value)),
          [false, true, true, false],
        );
      }
      // Unknown keys are accepted whatever their value, so a known one must reject another type.
      assert.equal(isAccepted(name, type === "boolean" ? 1 : false), false);
    });
  }
});

describe("the table reference", () => {
  let database: TestDatabase;
  const closers: (() => Promise<void>)[] = [];
  const read = async (): Promise<readonly TableDescription[]> => {
    const { adminUrl: url, masterKey } = database;
    const opened = openDatabase({ url, masterKey, poolSize: 1, observer: silentObserver });
    try {
      return await readTables(opened.service);
    } finally {
      await opened.close();
    }
  };

  before(async () => {
    database = await createTestDatabase({ after: (close) => closers.push(close) });
  });
  after(async () => {
    for (const close of closers) await close();
  });

  it("matches the migrated schema, the access matrix and the types of the sdk", async () => {
    const written = readDescribedTables().tables.map(({ table }) => table);
    const byName = Map.groupBy(written, ({ name }) => name);
    const tables = JSON.parse(JSON.stringify(await read())) as TableDescription[];
    assert.equal(tables.length, written.length);
    for (const table of tables) assert.deepEqual(byName.get(table.name), [table], "run: npm run generate -- reference");
  });

  it("changes with columns, bounds, defaults, triggers and publications", async () => {
    await database.owner.query(`
      alter table public.agents add column extra integer default 7 check (extra >= 1 and extra <= 9);
      alter table public.agents drop constraint agents_framework_known;
      drop trigger agents_emit_created on public.agents`);
    await database.owner.query("alter publication swarmbase drop table public.agents");
    const agents = (await read()).find(({ name }) => name === "agents");
    const extra = agents?.columns.find(({ name }) => name === "extra");
    assert.deepEqual(
      [extra?.default, extra?.schema],
      ["7", { type: ["integer", "null"], format: "int32", minimum: 1, maximum: 9 }],
    );
    assert.equal(agents?.columns.find(({ name }) => name === "framework")?.schema.enum, undefined);
    assert.equal(agents?.hasRealtime, false);
    assert.ok(!agents?.events.includes("agent.created"));
    await database.owner.query("create table public.unlisted (id uuid primary key)");
    await assert.rejects(read(), /unlisted has no line in the access matrix/);
  });

  it("reads bounds from checks of one column, and from no others", () => {
    const read = (definition: string) => readBounds({ table: "t", name: "n", definition });
    assert.deepEqual(read("CHECK (char_length(name) >= 1 AND char_length(name) <= 9)"), {
      column: "name",
      bounds: { minLength: 1, maxLength: 9 },
    });
    assert.deepEqual(read("CHECK (price >= 0::numeric)"), { column: "price", bounds: { minimum: 0 } });
    assert.deepEqual(read(`CHECK ("position" > 0)`), { column: "position", bounds: { exclusiveMinimum: 0 } });
    assert.deepEqual(read("CHECK (cardinality(a) <= 3)"), { column: "a", bounds: { maxItems: 3 } });
    assert.equal(read("CHECK (char_length(a) <= 1 AND char_length(b) <= 1)"), null);
    assert.equal(read("CHECK (a IS NOT NULL OR b IS NOT NULL)"), null);
  });

  it("has a page with columns, access, events and an example for every table, linked from the index", () => {
    const pages = tablePages();
    const index = pages["docs/reference/tables.md"]?.() ?? "";
    for (const { table } of readDescribedTables().tables) {
      const page = pages[`docs/reference/tables/${table.name}.md`]?.() ?? assert.fail(table.name);
      assert.ok(index.includes(`(tables/${table.name}.md)`), table.name);
      for (const { name } of table.columns) assert.ok(page.includes(`| \`${name}\` |`), `${table.name}.${name}`);
      for (const { operation } of table.access)
        assert.ok(page.includes(`| ${operation} |`), `${table.name} ${operation}`);
      for (const type of table.events) assert.ok(page.includes(`[\`${type}\`]`), `${table.name} ${type}`);
      assert.match(page, /```sh\ncurl /);
    }
  });
});
