import assert from "node:assert/strict";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { compareMigrations, type ExtensionSchema, migrate } from "../../src/db/index.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const SQL = fileURLToPath(new URL("fixtures/notes/sql/", import.meta.url));
const TABLES = ["note_pins"];
const ALL = ["ext_notes/0001_notes", "ext_notes/functions/notes"];

function apply({ adminUrl, masterKey }: TestDatabase, extension: ExtensionSchema): ReturnType<typeof migrate> {
  const settings = { agentLimitPerUser: 100 };
  return migrate({ adminUrl, masterKey, settings, observer: silentObserver, extensions: [extension] });
}

/** A copy of the SQL files to change. */
async function copyFiles(t: TestContext): Promise<ExtensionSchema> {
  const dir = await createTemporaryFolder(t, "swarmbase-extension-sql-");
  await cp(SQL, dir, { recursive: true });
  return { schema: "ext_notes", dir, tables: TABLES };
}

async function exists({ owner }: TestDatabase, name: string): Promise<boolean> {
  const { rows } = await owner.query<{ found: boolean }>("select to_regclass($1) is not null as found", [name]);
  return rows[0]?.found === true;
}

describe("the schema of an extension", () => {
  test("is applied once, and again only where a function file or a migration is new", async (t) => {
    const database = await createTestDatabase(t);
    const extension = await copyFiles(t);
    assert.deepEqual(await compareMigrations(database.owner, [extension]), {
      pending: ALL,
      waiting: [],
      unknown: [],
      isUsable: true,
      fault: null,
    });
    assert.deepEqual(await apply(database, extension), { applied: ALL, waiting: [] });
    assert.deepEqual(await apply(database, extension), { applied: [], waiting: [] });
    const functions = join(extension.dir, "functions/notes.sql");
    await writeFile(functions, (await readFile(functions, "utf8")).replace("and not n.is_archived", ""));
    await writeFile(
      join(extension.dir, "migrations/0002_colour.sql"),
      "alter table ext_notes.notes add column colour text;\n",
    );
    assert.deepEqual(await apply(database, extension), {
      applied: ["ext_notes/0002_colour", "ext_notes/functions/notes"],
      waiting: [],
    });
    await database.owner.query("select colour from ext_notes.notes");
    // A node of an earlier version knows less than the database has.
    assert.deepEqual(await compareMigrations(database.owner, [{ ...extension, dir: SQL }]), {
      pending: [],
      waiting: [],
      unknown: ["ext_notes/0002_colour"],
      isUsable: true,
      fault: null,
    });
  });

  const faulty: readonly { title: string; sql: string; expected: RegExp }[] = [
    {
      title: "creates a table outside of its schema",
      sql: "create table public.leaked (id int);",
      expected: /The migrations of ext_notes may create and drop nothing outside of it: (public\.)?leaked/,
    },
    {
      title: "drops a function of the core",
      sql: "drop function private.new_id() cascade;",
      expected: /nothing outside of it: private\.new_id\(\)/,
    },
    {
      title: "leaves a table without row-level security",
      sql: "create table ext_notes.open (id int);",
      expected: /These tables have no row-level security: ext_notes\.open/,
    },
    {
      title: "leaves its table in public without row-level security",
      sql: "alter table public.note_pins disable row level security;",
      expected: /These tables have no row-level security: (public\.)?note_pins/,
    },
    {
      title: "leaves its table in public open to API keys",
      sql: "drop policy note_pins_key_delete on public.note_pins;",
      expected: /These tables need restrictive policies for the role api_key: (public\.)?note_pins/,
    },
    {
      title: "fails",
      sql: "select 1;\nselect nothing;",
      expected: /0002_faulty, line 2: column "nothing" does not exist/,
    },
  ];
  for (const { title, sql, expected } of faulty) {
    test(`is rolled back as a whole when a migration ${title}`, async (t) => {
      const database = await createTestDatabase(t);
      const extension = await copyFiles(t);
      await writeFile(join(extension.dir, "migrations/0002_faulty.sql"), `${sql}\n`);
      await assert.rejects(apply(database, extension), expected);
      assert.deepEqual(
        [await exists(database, "ext_notes.notes"), await exists(database, "public.leaked")],
        [false, false],
      );
      assert.deepEqual((await compareMigrations(database.owner, [extension])).pending.length, 3);
    });
  }

  for (const taken of [
    "table public.note_pins (id int)",
    "view public.note_pins as select 1",
    "sequence public.note_pins_pkey",
  ])
    test(`says in one sentence that the app has taken its name, for example with a ${taken.split(" ", 1)[0]}`, async (t) => {
      const database = await createTestDatabase(t);
      await database.owner.query(`create ${taken}`);
      const name = /public\.(\w+)/.exec(taken)?.[1];
      await assert.rejects(apply(database, await copyFiles(t)), {
        message: `The extension notes needs the name ${name}, which the database has already: rename it, or take notes out of EXTENSIONS.`,
      });
      assert.equal(await exists(database, "ext_notes.notes"), false);
    });

  test("loses the rows of an account that is deleted", async (t) => {
    const database = await createTestDatabase(t);
    await apply(database, { schema: "ext_notes", dir: SQL, tables: TABLES });
    const { owner } = database;
    await owner.query(`with ada as (insert into auth.users (id, email) values (gen_random_uuid(), 'a@example.test') returning id)
      select id from ada`);
    await owner.query("insert into ext_notes.notes (user_id, text) select id, 'mine' from auth.users");
    await owner.query("delete from auth.users");
    assert.deepEqual((await owner.query("select * from ext_notes.notes")).rows, []);
  });
});
