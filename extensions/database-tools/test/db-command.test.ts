import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { after, beforeEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { runHere } from "../../../server/test/support/run-here.ts";
import { until } from "../../../server/test/support/until.ts";
import { type AppFolder, createAppFolder } from "./support/app-folder.ts";

/** Left behind in 1970 by a command that was killed. */
const ABANDONED = "swarmbase_scratch_1000_abcd";
const NOTES = `create table public.notes (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users on delete cascade,
  text text not null
);
alter table public.notes enable row level security;
create policy notes_own on public.notes to authenticated using (user_id = (select auth.uid()));
grant select, insert on public.notes to authenticated;
`;

describe("swarmbase db", () => {
  const closers: (() => Promise<void>)[] = [];
  let app: AppFolder;
  const db = (...args: string[]) => app.run(["db", ...args, "--dir", app.dir]);
  const rows = async (text: string): Promise<unknown[]> => (await app.owner.query(text)).rows;
  beforeEach(async () => {
    app = await createAppFolder({ after: (close) => void closers.unshift(close) });
  });
  after(async () => {
    for (const close of closers) await close();
  });

  test("push applies each migration once, in one transaction, and records it with its hash", async () => {
    await app.write("migrations/0001_notes.sql", NOTES);
    await app.write("migrations/0002_more.sql", "set search_path = ''; create table public.more ();\nselect 1/0;\n");
    await app.write("migrations/README.md", "not a migration");
    const dry = await db("push", "--dry-run");
    assert.deepEqual(dry, { code: 0, stdout: "Would apply:\n  0001_notes\n  0002_more\n", stderr: "" });
    assert.deepEqual(await rows("select to_regnamespace('app_migrations') as history"), [{ history: null }]);

    const failed = await db("push");
    assert.deepEqual([failed.code, failed.stdout], [1, "Applied 0001_notes\n"]);
    assert.match(
      failed.stderr,
      /0002_more\.sql:1: ERROR: division by zero \(22012\)\nThe migration 0002_more was rolled back\.\n$/,
    );
    assert.deepEqual(await rows("select to_regclass('public.more') as more"), [{ more: null }]);

    await app.write("migrations/0002_more.sql", "set search_path = ''; create table public.more ();\n");
    assert.deepEqual(await db("push"), { code: 0, stdout: "Applied 0002_more\n", stderr: "" });
    assert.deepEqual(await db("push"), { code: 0, stdout: "The database has all migrations.\n", stderr: "" });
    assert.deepEqual(await rows("select name, length(hash) from app_migrations.applied order by name"), [
      { name: "0001_notes", length: 64 },
      { name: "0002_more", length: 64 },
    ]);

    await app.write("migrations/0002_more.sql", "create table public.other ();\n");
    const changed = await db("push");
    assert.deepEqual([changed.code, changed.stdout], [1, ""]);
    assert.match(changed.stderr, /0002_more was changed after it was applied\./);
  });

  test("push tells running services to read the schema again", async () => {
    const told: unknown[] = [];
    app.owner.on("notification", ({ channel, payload }) => told.push([channel, payload]));
    await app.owner.query("listen pgrst");
    await app.write("migrations/0001_notes.sql", "select 1;");
    assert.equal((await db("push")).code, 0);
    await until(() => told.length > 0, "the notification");
    assert.deepEqual(told, [["pgrst", "reload schema"]]);
  });

  test("push rejects what would leave the transaction, and names that are not in order", async () => {
    await app.write(
      "migrations/0001_notes.sql",
      "create table public.a ();\n-- then\ncommit;\ncreate table public.b ();\n",
    );
    const { code, stderr } = await db("push");
    assert.equal(code, 1);
    assert.match(stderr, /0001_notes\.sql:3: COMMIT is not possible here: a migration runs in one transaction\.\n$/);
    await app.write("migrations/0001_notes.sql", "\\i other.sql\n");
    assert.match((await db("push")).stderr, /0001_notes\.sql:1: \\i is a command of the shell/);
    await app.write("migrations/0001_notes.sql", "savepoint a; rollback to a;");
    await app.write("migrations/1_twin.sql", "");
    assert.match((await db("push")).stderr, /have the number 1\./);
    await app.write("migrations/twin.sql", "");
    assert.match((await db("push")).stderr, /begins with a number.*twin\.sql/);
    await rm(app.dir, { recursive: true });
    assert.match((await db("push")).stderr, /^There are no migrations in /);
    for (const [args, expected] of [
      [[], /The action is missing/],
      [["pull"], /Unknown action "pull"/],
      [["diff", "--name", "../x"], /--name has letters/],
    ] as const) {
      const wrong = await app.run(["db", ...args]);
      assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
      assert.match(wrong.stderr, expected);
    }
  });

  test("grant gives the roles of requests Supabase's privileges in a schema of the app, and not on tables of Swarmbase", async () => {
    await app.owner.query(
      `create schema "App"; create table "App".notes (id serial primary key); create view "App".seen as select 1 as one;
       create function "App".add(a integer, b integer default 1) returns integer language sql return a + b;
       create table public.plain (id integer)`,
    );
    const grant = (...args: string[]) => app.run(["db", "grant", ...args]);
    const refused = await grant("App");
    assert.deepEqual([refused.code, refused.stdout], [1, ""]);
    assert.match(refused.stderr, /no row-level security[^]*\n {2}"App"\.notes\n[^]*Nothing was granted/);
    await app.owner.query('alter table "App".notes enable row level security');
    const granted = await grant("App");
    assert.deepEqual([granted.code, granted.stderr], [0, ""]);
    assert.match(granted.stdout, /tables and views 2, sequences 1, functions 1\. Later ones get the same\.\n$/);
    await app.owner.query('create table "App".later (id serial)');
    assert.equal((await grant("public", "--without-rls")).code, 0);
    const privileges = `select r as role, has_schema_privilege(r, 'App', 'usage') as usage,
      has_table_privilege(r, '"App".notes', 'insert, truncate') and has_table_privilege(r, '"App".seen', 'select')
        and has_table_privilege(r, '"App".later', 'delete') and has_table_privilege(r, 'public.plain', 'select') as tables,
      has_sequence_privilege(r, '"App".notes_id_seq', 'usage') as sequences,
      has_function_privilege(r, '"App".add(integer, integer)', 'execute') as functions,
      has_table_privilege(r, 'public.agents', 'truncate') as service
      from unnest(array['anon', 'authenticated', 'service_role']) r`;
    const all = { usage: true, tables: true, sequences: true, functions: true, service: false };
    assert.deepEqual(
      await rows(privileges),
      ["anon", "authenticated", "service_role"].map((role) => ({ role, ...all })),
    );
    assert.match((await grant("nowhere")).stderr, /^The schema nowhere does not exist\.\n$/);
    for (const schema of ["auth", "private", "pg_catalog"])
      assert.match((await grant(schema)).stderr, /is not one of the app\.\n$/);
    assert.equal((await grant()).code, 2);
  });

  test("pushes at the same time apply each migration once", async () => {
    await app.write("migrations/0001_notes.sql", `${NOTES}\nselect pg_sleep(0.2);`);
    const results = await Promise.all([db("push"), db("push"), db("push")]);
    assert.deepEqual(
      results.map(({ code }) => code),
      [0, 0, 0],
    );
    assert.equal(results.filter(({ stdout }) => stdout === "Applied 0001_notes\n").length, 1);
  });

  test("diff writes what was made by hand as the next migration", async () => {
    await app.write("migrations/0001_notes.sql", NOTES);
    assert.match(
      (await db("diff")).stderr,
      /^Migrations are pending: 0001_notes\. Apply them first: npm run swarmbase db push\n$/,
    );
    await db("push");
    await app.owner.query("alter table public.notes add column is_read boolean not null default false");
    const admin = new pg.Client({ connectionString: app.env["DATABASE_URL"] });
    await admin.connect();
    await admin.query(`create database ${ABANDONED}`);
    await admin.end();
    const wrote = await db("diff", "--name", "read");
    assert.deepEqual([wrote.code, wrote.stderr], [0, ""]);
    assert.match(wrote.stdout, /^Wrote .*0002_read\.sql, and recorded it as applied\.\n$/);
    assert.equal(
      await readFile(join(app.dir, "0002_read.sql"), "utf8"),
      "alter table public.notes add column is_read boolean default false not null;\n",
    );
    assert.deepEqual((await db("push")).stdout, "The database has all migrations.\n");
    assert.deepEqual(await rows(`select from pg_database where datname = '${ABANDONED}'`), []);
    // Other tests have scratch databases too, which end with their commands.
    const scratch = await app.owner.query(
      "select datname from pg_database where datname like 'swarmbase\\_scratch\\_%'",
    );
    const names = scratch.rows.map(({ datname }) => `'${datname}'`).join(", ") || "''";
    while ((await rows(`select from pg_database where datname in (${names})`)).length > 0) await sleep(50);
  });

  test("reset drops what is the app's, keeps what is Swarmbase's, and runs the seed", async () => {
    await app.write("migrations/0001_notes.sql", NOTES);
    await db("push");
    const user = "00000000-0000-4000-8000-000000000001";
    await app.owner.query("insert into auth.users (id, email) values ($1, 'ada@example.org')", [user]);
    await app.owner.query("insert into public.notes (user_id, text) values ($1, 'mine')", [user]);
    await app.owner.query(`create schema ext_other; create table ext_other.kept ();
      create table public.by_hand (note_id uuid references public.notes);
      create function public.greet() returns trigger language plpgsql as $$ begin return new; end $$;
      create trigger greet after insert on auth.users for each row execute function public.greet();
      alter table public.agents add column note_id uuid references public.notes`);
    const seed = await app.write("seed.sql", `insert into public.notes (user_id, text) values ('${user}', 'seeded');`);

    const shared = await db("reset", "--yes");
    assert.match(
      shared.stderr,
      /^DATABASE_URL is set, so others may use this database\. .*add --shared\. Nothing was changed\.\n$/,
    );
    const unconfirmed = await db("reset", "--shared");
    assert.deepEqual([unconfirmed.code, unconfirmed.stdout], [1, ""]);
    assert.match(unconfirmed.stderr, /Confirm it with --yes\. Nothing was changed\./);
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    stdin.write("no\r");
    const declined = await runHere(["db", "reset", "--shared", "--dir", app.dir], app.env, stdin);
    assert.deepEqual([declined.code, declined.stderr], [1, "Nothing was changed.\n"]);
    const missing = await db("reset", "--yes", "--shared", "--seed-file", join(app.folder, "missing.sql"));
    assert.match(missing.stderr, /ENOENT/);
    await app.write("migrations/0002_broken.sql", "create table public.broken (n nothing);");
    const broken = await db("reset", "--yes", "--shared");
    assert.match(broken.stderr, /0002_broken\.sql:1:31: ERROR: type "nothing" does not exist/);
    assert.deepEqual(await rows("select text from public.notes"), [{ text: "mine" }], "nothing was changed");
    await rm(join(app.dir, "0002_broken.sql"));

    const done = await db("reset", "--yes", "--shared", "--seed-file", seed);
    assert.deepEqual(
      [done.code, done.stdout.split("\n").filter((line) => !line.startsWith("Dropped"))],
      [0, ["Applied 0001_notes", `Ran ${seed}`, ""]],
    );
    assert.deepEqual(await rows("select text from public.notes"), [{ text: "seeded" }]);
    assert.deepEqual(await rows("select email from auth.users"), [{ email: "ada@example.org" }]);
    const left = `select to_regclass('public.by_hand') as table, to_regproc('public.greet') as function, to_regclass('ext_other.kept')::text as kept,
      (select count(*)::int from pg_attribute where attrelid = 'public.agents'::regclass and attname = 'note_id') as columns`;
    assert.deepEqual(await rows(left), [{ table: null, function: null, kept: "ext_other.kept", columns: 0 }]);
  });
});
