import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { readTablesFile, type TablesFile } from "@swarmbase/reference";
import pg from "pg";
import { openDatabase } from "../../server/src/db/index.ts";
import { readRunMaxima } from "../../server/src/agents/index.ts";
import { loadSettings } from "../../server/src/config/index.ts";
import { allRules } from "../../server/src/tables/index.ts";
import { createTestDatabase, type TestDatabase } from "../../server/test/support/database.ts";
import { silentObserver } from "../../server/test/support/silent-observer.ts";
import { tablePages } from "../documents/render-tables-reference.ts";
import { parseTableComment } from "../tables/parse-comment.ts";
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
  const read = async (): Promise<Omit<TablesFile, "exchanges">> => {
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
    const { exchanges: _, ...written } = readTablesFile();
    const described = JSON.parse(JSON.stringify(await read())) as typeof written;
    assert.equal(described.tables.length, written.tables.length);
    for (const [at, table] of described.tables.entries())
      assert.deepEqual(written.tables[at], table, "run: npm run generate -- reference");
    assert.deepEqual(written.calls, described.calls);
  });

  it("changes with columns, bounds, defaults, triggers and publications", async () => {
    await database.owner.query(`
      alter table public.agents add column extra integer default 7 check (extra >= 1 and extra <= 9);
      alter table public.agents drop constraint agents_framework_known;
      drop trigger agents_emit_created on public.agents`);
    await database.owner.query("alter publication swarmbase drop table public.agents");
    await database.owner.query("comment on column public.agents.extra is 'One more.'");
    const agents = (await read()).tables.find(({ name }) => name === "agents");
    const extra = agents?.columns.find(({ name }) => name === "extra");
    assert.deepEqual(
      [extra?.default, extra?.description, extra?.schema],
      ["7", "One more.", { type: ["integer", "null"], format: "int32", minimum: 1, maximum: 9 }],
    );
    assert.equal(agents?.columns.find(({ name }) => name === "framework")?.schema.enum, undefined);
    assert.equal(agents?.hasRealtime, false);
    await database.owner.query("create table public.unlisted (id uuid primary key)");
    await assert.rejects(read(), /the table unlisted has no place in the reference/);
    await database.owner.query("drop table public.unlisted");
  });

  it("requires a comment on every table and column, and a line of it for every other name and event", async () => {
    const { summary } = readTablesFile().tables.find(({ name }) => name === "tools") ?? assert.fail();
    const { rows } = await database.owner.query<{ comment: string }>(
      "select obj_description('public.tools'::regclass) as comment",
    );
    const [{ comment } = assert.fail()] = rows;
    const cases: readonly (readonly [string, string | null, RegExp])[] = [
      ["column public.tools.icon", null, /^Error: tools\.icon has no comment$/],
      ["table public.tools", null, /^Error: tools has no comment$/],
      ["table public.tools", summary, /the comment on tools names no guide/],
      ["table public.tools", comment.replace("Alias secrets", "Alias icon"), /tools has no line "Alias secrets"/],
      ["table public.tools", `${comment}\nAlias more: Unknown.`, /the comment on tools describes more, which/],
      ["table public.tools", `${comment}\nEvent tool.renamed: an update`, /describes the event tool\.renamed, which/],
      [
        "table public.swarm_agents",
        `A.\n\nGuide: swarms`,
        /no line "Event swarm\.agent_added", which a trigger raises/,
      ],
      ["view public.agent_cards", null, /^Error: agent_cards has no comment$/],
    ];
    for (const [object, text, fault] of cases) {
      const [kind = "", name = ""] = object.split(" ");
      const description =
        kind === "column"
          ? "col_description('public.tools'::regclass, (select attnum from pg_attribute where attrelid = 'public.tools'::regclass and attname = 'icon'))"
          : `obj_description('${name}'::regclass)`;
      const before = (await database.owner.query<{ text: string }>(`select ${description} as text`)).rows[0]?.text;
      const set = (value: string | null | undefined): Promise<unknown> =>
        database.owner.query(
          `comment on ${object} is ${value === null || value === undefined ? "null" : pg.escapeLiteral(value)}`,
        );
      await set(text);
      await assert.rejects(read(), fault);
      await set(before);
    }
    await read();
  });

  it("joins the lines of a paragraph, and keeps what its labels say", () => {
    assert.deepEqual(
      parseTableComment(
        "t",
        "Two\nlines.\n\nA note\nof two.\n\nAlias b: The\nrest.\nEvent agent.deleted: a delete\nGuide: agents",
      ),
      {
        summary: "Two lines.",
        notes: ["A note of two."],
        aliases: { b: "The rest." },
        events: { "agent.deleted": "a delete" },
        guide: "agents",
      },
    );
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
    for (const table of readTablesFile().tables) {
      const page = pages[`docs/reference/tables/${table.name}.md`]?.() ?? assert.fail(table.name);
      assert.ok(index.includes(`(tables/${table.name}.md)`), table.name);
      for (const { name } of table.columns) assert.ok(page.includes(`| \`${name}\` |`), `${table.name}.${name}`);
      for (const { operation } of table.access)
        assert.ok(page.includes(`| ${operation} |`), `${table.name} ${operation}`);
      for (const type of Object.keys(table.events)) assert.ok(page.includes(`[\`${type}\`]`), `${table.name} ${type}`);
      assert.match(page, /```sh\ncurl /);
    }
  });
});
