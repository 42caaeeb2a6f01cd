import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import type pg from "pg";
import { createTestDatabase } from "../support/database.ts";
import { openSchemaCopy } from "./support/schema-copy.ts";

const SERVER = join(import.meta.dirname, "../..");
const NEW_TABLE = `create table private.notes (id uuid default private.new_id() primary key, body text);
alter table private.notes enable row level security;
-- after functions
create trigger notes_trim before insert on private.notes for each row execute function private.trim_note();
`;
const NEW_FUNCTION = `create or replace function private.trim_note() returns trigger language plpgsql
as $$
begin
  new.body := private.trim_whitespace(new.body);
  return new;
end
$$;
`;

async function readFunctions(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; state: string }>(
    `select p.oid::regprocedure::text as name, concat_ws(' ', p.xmin, p.ctid, md5(p.prosrc), p.proacl) as state from pg_proc p
     where p.pronamespace::regnamespace::text in ('auth', 'private', 'public', 'realtime')`,
  );
  return new Map(rows.map(({ name, state }) => [name, state]));
}

describe("function files", () => {
  it("are applied again, alone, when their text has changed", async (t) => {
    const { client, edit, migrate: run } = await openSchemaCopy(t);
    assert.deepEqual(await run(), []);
    const before = await readFunctions(client);
    await edit("functions/profiles.sql", (text) => text.replace(/\bbegin\n/, "begin\n  -- changed\n"));
    assert.deepEqual(await run(), ["functions/profiles"]);
    const after = await readFunctions(client);
    const touched = [...after.keys()].filter((name) => after.get(name) !== before.get(name));
    assert.deepEqual(touched.toSorted(), ["private.create_profile()", "private.sync_profile_email()"]);
    const { rows } = await client.query("select 1 from pg_proc where prosrc like '%-- changed%'");
    assert.equal(rows.length, 1);
    assert.deepEqual(await run(), []);
  });

  it("take away a grant that they no longer have", async (t) => {
    const { client, edit, migrate: run } = await openSchemaCopy(t);
    const may = async () =>
      (
        await client.query(
          "select has_function_privilege('sb_service', 'private.emit_event(text, json, uuid[])', 'execute')",
        )
      ).rows[0];
    assert.deepEqual(await may(), { has_function_privilege: true });
    await edit("functions/events.sql", (text) =>
      text.replace(/^grant execute on function private\.emit_event.*\n/m, ""),
    );
    assert.deepEqual(await run(), ["functions/events"]);
    assert.deepEqual(await may(), { has_function_privilege: false });
  });

  it("do not change a signature", async (t) => {
    const { client, edit, migrate: run } = await openSchemaCopy(t);
    const before = await readFunctions(client);
    const trimmed = (text: string) =>
      text.replace(
        "private.normalize_text(value text) returns text",
        "private.normalize_text(value text) returns name",
      );
    await edit("functions/moderation.sql", trimmed);
    await assert.rejects(
      run(),
      /^error: functions\/moderation: cannot change return type of .* private\.normalize_text\(text\)\. .* is a new function/,
    );
    await edit("functions/moderation.sql", (text) =>
      text.replace(
        "private.normalize_text(value text) returns name",
        "private.normalize_text(value text, extra text) returns text",
      ),
    );
    await assert.rejects(
      run(),
      /private\.normalize_text is written 1 times and exists as private\.normalize_text\(text\), private\.normalize_text\(text,text\)/,
    );
    assert.deepEqual(await readFunctions(client), before);
  });

  it("come between the tables of a migration and what calls them", async (t) => {
    const { client, edit, migrate: run } = await openSchemaCopy(t);
    await edit("migrations/9998_notes.sql", () => NEW_TABLE);
    await edit("functions/notes.sql", () => NEW_FUNCTION);
    assert.deepEqual(await run(), ["9998_notes", "functions/notes"]);
    const { rows } = await client.query("insert into private.notes (body) values ('  kept ') returning body");
    assert.deepEqual(rows, [{ body: "kept" }]);
    // The next one replaces the function and drops what nothing uses any more.
    await edit(
      "migrations/9999_no_notes.sql",
      () => "-- after functions\ndrop table private.notes;\ndrop function private.trim_note();\n",
    );
    await edit("functions/notes.sql", () => "-- Nothing is left.\n");
    assert.deepEqual(await run(), ["9999_no_notes", "functions/notes"]);
  });

  it("leave nothing behind when a later step fails", async (t) => {
    const { client, edit, migrate: run } = await openSchemaCopy(t);
    const before = await readFunctions(client);
    await edit("migrations/9998_notes.sql", () => `${NEW_TABLE}select nothing_of_this_name;\n`);
    await edit("functions/notes.sql", () => NEW_FUNCTION);
    await assert.rejects(run(), /9998_notes, line 5: column "nothing_of_this_name" does not exist/);
    assert.deepEqual(await readFunctions(client), before);
    const { rows } = await client.query(
      `select to_regclass('private.notes') as notes, (select count(*)::int from private.migrations where name = '9998_notes') as recorded,
         (select count(*)::int from private.function_files where name = 'functions/notes') as hashed`,
    );
    assert.deepEqual(rows, [{ notes: null, recorded: 0, hashed: 0 }]);
  });

  it("of an older release do not replace those of a newer one", async (t) => {
    const { client, edit, migrate: run } = await openSchemaCopy(t);
    await client.query(
      "insert into private.migrations (name, hash, run_on) values ('9999_from_the_future', '', now())",
    );
    await edit("functions/profiles.sql", (text) => text.replace(/\bbegin\n/, "begin\n  -- older\n"));
    const before = await readFunctions(client);
    assert.deepEqual(await run(), []);
    assert.deepEqual(await readFunctions(client), before);
    await client.query("delete from private.migrations where name = '0017_realtime'");
    await assert.rejects(
      run(),
      /Another build of Swarmbase made this database: its migrations differ \(0017_realtime\)/,
    );
  });
});

describe("comment files", () => {
  it("are applied again, alone, when their text has changed", async (t) => {
    const { client, edit, migrate: run } = await openSchemaCopy(t);
    const read = async (): Promise<unknown> =>
      (await client.query("select obj_description('public.read_positions'::regclass) as text")).rows[0];
    await edit("comments/messages.sql", (text) =>
      text.replace(/(?<=comment on table public\.read_positions is\n)'[^']+'/, "'Changed.'"),
    );
    assert.deepEqual(await run(), ["comments/messages"]);
    assert.deepEqual(await read(), { text: "Changed." });
    assert.deepEqual(await run(), []);
  });

  it("come after what a migration creates last", async (t) => {
    const { client, edit, migrate: run } = await openSchemaCopy(t);
    await edit("migrations/9998_notes.sql", () => "-- after functions\ncreate view private.notes as select 1 as id;\n");
    await edit("comments/notes.sql", () => "comment on column private.notes.id is 'One.';\n");
    assert.deepEqual(await run(), ["9998_notes", "comments/notes"]);
    const { rows } = await client.query("select col_description('private.notes'::regclass, 1) as text");
    assert.deepEqual(rows, [{ text: "One." }]);
  });

  it("have comments, and nothing else", async () => {
    const folders = ["server/comments", "extensions/schedules/sql/comments", "extensions/triggers/sql/comments"];
    for (const folder of folders.map((path) => join(SERVER, "..", path)))
      for (const name of await readdir(folder)) {
        const text = await readFile(join(folder, name), "utf8");
        for (const statement of text
          .replaceAll(/'[^']*'/g, "''")
          .replaceAll(/^--.*/gm, "")
          .split(";"))
          assert.match(
            statement.trim(),
            /^$|^comment on (table|view|column) public\.[\w.]+ is[\s']+$|^comment on function public\.\w+\([\w, ]*\) is[\s']+$/,
            name,
          );
      }
  });
});

describe("functions of the schema", () => {
  const read = async (folder: string): Promise<string[]> => {
    const names = (await readdir(join(SERVER, folder))).filter((name) => name.endsWith(".sql"));
    return await Promise.all(names.map((name) => readFile(join(SERVER, folder, name), "utf8")));
  };
  const listNames = (texts: readonly string[]): string[] =>
    texts
      .flatMap((text) => [...text.matchAll(/^ *create (?:or replace )?function ([a-z_]+\.[a-z0-9_]+)/gm)])
      .map(([, name = ""]) => name);

  it("have bodies that PostgreSQL accepts", async (t) => {
    const { owner } = await createTestDatabase(t);
    await owner.query("set check_function_bodies = on; set search_path = ''");
    for (const text of await read("functions")) await owner.query(text);
    await assert.rejects(
      owner.query("create function private.broken() returns text language sql as $$ select nothing_of_this_name $$"),
      { code: "42703" },
    );
  });

  it("stand in one file each, and the files have nothing else", async (t) => {
    const { owner } = await createTestDatabase(t);
    const { rows } = await owner.query<{ name: string; count: number }>(
      `select p.pronamespace::regnamespace || '.' || p.proname as name, count(*)::int as count from pg_proc p
       where p.pronamespace::regnamespace::text in ('auth', 'private', 'public', 'realtime') group by 1`,
    );
    const texts = await read("functions");
    const written = Map.groupBy(listNames([...texts, ...(await read("migrations"))]), (name) => name);
    // It has one text for PostgreSQL 18 and one for older servers.
    written.set("private.new_id", ["private.new_id"]);
    assert.deepEqual(
      new Map([...written].map(([name, places]) => [name, places.length])),
      new Map(rows.map(({ name, count }) => [name, count])),
    );
    for (const text of texts)
      for (const statement of text
        .replaceAll(/--.*|\$\$.*?\$\$/gs, (part) => (part.startsWith("--") ? "" : "$$"))
        .split(";"))
        assert.match(statement.trim(), /^$|^create or replace function |^(grant|revoke) .* on function /s);
  });

  it("that a check, an index, a default or a generated column calls stand in migrations", async (t) => {
    const { owner } = await createTestDatabase(t);
    const find = async (): Promise<string[]> => {
      const { rows } = await owner.query<{ name: string; body: string }>(
        `select distinct p.pronamespace::regnamespace || '.' || p.proname as name, p.prosrc as body
         from pg_depend d join pg_proc p on p.oid = d.refobjid and d.refclassid = 'pg_proc'::regclass
         where p.oid >= 16384 and d.classid in ('pg_constraint'::regclass, 'pg_class'::regclass, 'pg_attrdef'::regclass)`,
      );
      const { rows: all } = await owner.query<{ name: string; body: string }>(
        "select p.pronamespace::regnamespace || '.' || p.proname as name, p.prosrc as body from pg_proc p where p.oid >= 16384",
      );
      const reached = new Map(rows.map(({ name, body }) => [name, body]));
      // What they call counts too, and the catalogue does not know bodies.
      for (const body of reached.values())
        for (const other of all) if (body.includes(`${other.name}(`)) reached.set(other.name, other.body);
      const files = new Set(listNames(await read("functions")));
      return [...reached.keys()].filter((name) => files.has(name));
    };
    assert.deepEqual(await find(), []);
    await owner.query(
      "alter table public.profiles add constraint x check (private.parse_budget_amount(to_jsonb(full_name)) is null) not valid",
    );
    assert.deepEqual(await find(), ["private.parse_budget_amount"]);
  });
});
