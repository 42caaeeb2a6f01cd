import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { after, beforeEach, describe, test } from "node:test";
import { type AppFolder, createAppFolder } from "./support/app-folder.ts";

describe("swarmbase db", () => {
  const closers: (() => Promise<void>)[] = [];
  let app: AppFolder;
  const db = (...args: string[]) => app.run(["db", ...args, "--dir", app.dir]);
  beforeEach(async () => {
    app = await createAppFolder({ after: (close) => void closers.unshift(close) });
  });
  after(async () => {
    for (const close of closers) await close();
  });

  test("diff writes every kind of object and of change as migrations that make the same", async () => {
    assert.match((await db("diff")).stdout, /^The database has nothing beyond the migrations\.\n$/);
    const everything = await readFile(new URL("fixtures/everything.sql", import.meta.url), "utf8");
    await app.owner.query(everything);
    const wrote = await db("diff", "--name", "everything");
    assert.deepEqual([wrote.code, wrote.stderr], [0, ""], wrote.stderr);
    assert.match(wrote.stdout, /^Wrote .*0001_everything\.sql, and recorded it as applied\.\n$/);
    assert.deepEqual((await db("push")).stdout, "The database has all migrations.\n");
    assert.equal((await db("diff", "--check")).code, 0);

    const changes = await readFile(new URL("fixtures/changes.sql", import.meta.url), "utf8");
    await app.owner.query(changes);
    const checked = await db("diff", "--check");
    assert.equal(checked.code, 1);
    assert.match(checked.stdout, /alter type public\.mood add value 'great' after 'good'/);
    assert.equal((await db("diff", "--name", "changes")).code, 0);
    assert.deepEqual(await readdir(app.dir), ["0001_everything.sql", "0002_changes.sql"]);
    assert.equal((await db("diff", "--check")).code, 0);

    // What the files make in an empty database is what was made by hand.
    assert.equal((await db("reset", "--yes", "--shared")).code, 0);
    assert.match((await db("diff")).stdout, /^The database has nothing/);
    await app.write("migrations/0003_pending.sql", "create table public.pending ();");
    assert.match((await db("diff")).stderr, /^Migrations are pending: 0003_pending\./);
  });

  test("diff names what it does not cover, and what no statement changes", async () => {
    await app.owner.query(`create aggregate public.total (int) (sfunc = int4pl, stype = int);
      create type public.size as enum ('s', 'm'); create table public.sized (size public.size)`);
    const found = await db("diff", "--name", "sizes");
    assert.match(found.stderr, /^Not covered, write it by hand: aggregate public\.total\(integer\)\n$/);
    await app.owner.query(`alter type public.size rename value 'm' to 'l'`);
    const stuck = await db("diff", "--name", "renamed");
    assert.equal(stuck.code, 1);
    assert.match(stuck.stderr, /No statements were found for:\n {2}- type public\.size: cannot drop type/);
    assert.deepEqual(await readdir(app.dir), ["0001_sizes.sql"]);
  });

  test("reset undoes a seed that fails, and exits with 1", async () => {
    await app.write(
      "migrations/0001_notes.sql",
      "create table public.notes (text text); insert into public.notes values ('kept');",
    );
    const badSeed = await app.write("bad.sql", "delete from public.notes; select nothing;");
    const unseeded = await db("reset", "--yes", "--shared", "--seed-file", badSeed);
    assert.equal(unseeded.code, 1);
    assert.match(unseeded.stderr, /bad\.sql:1:34: ERROR: column "nothing" does not exist/);
    assert.deepEqual((await app.owner.query("select text from public.notes")).rows, [{ text: "kept" }]);
  });
});
