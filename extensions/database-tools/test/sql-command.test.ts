import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { WAIT_MS } from "../../../server/test/support/wait-limit.ts";
import { runHere } from "../../../server/test/support/run-here.ts";
import { type AppFolder, createAppFolder } from "./support/app-folder.ts";
import { until } from "../../../server/test/support/until.ts";

describe("swarmbase sql", () => {
  const closers: (() => Promise<void>)[] = [];
  let app: AppFolder;
  before(async () => {
    app = await createAppFolder({ after: (close) => void closers.unshift(close) });
  });
  after(async () => {
    for (const close of closers) await close();
  });

  test("runs statements of an option, of a file and of the standard input as the owner", async () => {
    const given = await app.run(["sql", "-c", "select current_user as who; create table public.a (n int); select 1"]);
    assert.deepEqual(given, {
      code: 0,
      stdout:
        " who\n-----------------\n swarmbase_owner\n(1 row)\nCREATE TABLE\n ?column?\n----------\n        1\n(1 row)\n",
      stderr: "",
    });
    await app.write("sub/more.sql", "insert into public.a values (2);\n");
    const file = await app.write(
      "all.sql",
      "insert into public.a values (1);\n\\i sub/more.sql\nselect n from public.a order by n",
    );
    const run = await app.run(["sql", file]);
    assert.deepEqual([run.code, run.stdout], [0, "INSERT 1\nINSERT 1\n n\n---\n 1\n 2\n(2 rows)\n"]);
    const piped = await app.run(["sql", "-x"], "select n from public.a where n = 2;");
    assert.deepEqual([piped.code, piped.stdout], [0, "-[ RECORD 1 ]-\nn | 2\n(1 row)\n"]);
  });

  test("stops a file at the first error, names its place and exits with 1", async () => {
    const file = await app.write(
      "bad.sql",
      "create table public.b ();\n\nselect *\n  from nowhere;\ncreate table public.c ();\n",
    );
    const { code, stdout, stderr } = await app.run(["sql", file]);
    assert.deepEqual([code, stdout], [1, "CREATE TABLE\n"]);
    assert.equal(
      stderr,
      `${file}:4:8: ERROR: relation "nowhere" does not exist (42P01)\nLINE 4:   from nowhere;\n               ^\n`,
    );
    const left = await app.owner.query("select to_regclass('public.b') as b, to_regclass('public.c') as c");
    assert.deepEqual(left.rows, [{ b: "b", c: null }]);

    const single = await app.run(["sql", "-1", "-c", "create table public.d (); select 1/0"]);
    assert.equal(single.code, 1);
    assert.match(single.stderr, /division by zero \(22012\)/);
    assert.deepEqual((await app.owner.query("select to_regclass('public.d') as d")).rows, [{ d: null }]);
  });

  test("describes tables, and reports what does not exist", async () => {
    await app.owner.query(`create table public.described (id uuid primary key, agent_id uuid references public.agents);
      alter table public.described enable row level security;
      create policy own on public.described to authenticated using (true); grant select on public.described to authenticated`);
    const shown = await app.run(["sql", "-c", "\\d described"]);
    assert.equal(shown.code, 0);
    for (const line of [
      /^public\.described$/m,
      /^ id +\| uuid \| not null \|/m,
      /^ {4}described_agent_id_fkey FOREIGN KEY \(agent_id\) REFERENCES agents\(id\)$/m,
      /^ {4}own for all to authenticated using \(true\)$/m,
      /^Row-level security:\n {4}enabled$/m,
      /^ {4}authenticated: select$/m,
    ])
      assert.match(shown.stdout, line);
    assert.match(
      (await app.run(["sql", "-c", "\\dt desc*"])).stdout,
      /^ public \| described \| table \| swarmbase_owner$/m,
    );
    assert.match((await app.run(["sql", "-c", "\\dt"])).stdout, /^ public \| agents /m);
    assert.match((await app.run(["sql", "-c", "\\dt auth.users"])).stdout, /^ auth {3}\| users /m);
    assert.match((await app.run(["sql", "-c", "\\df auth.uid"])).stdout, /^ auth {3}\| uid {2}\| uuid/m);
    assert.match((await app.run(["sql", "-c", "\\dv agent_c*"])).stdout, /^ public \| agent_cards +\| view /m);
    const missing = await app.run(["sql", "-c", "\\d nothing"]);
    assert.deepEqual([missing.code, missing.stderr], [1, "There is no table, view or sequence nothing.\n"]);
    assert.match((await app.run(["sql", "-c", "\\wat"])).stderr, /^Unknown command \\wat\./);
  });

  test("rejects a command line that says two things, and a file that is missing", async () => {
    const both = await app.run(["sql", "-c", "select 1", "a.sql"]);
    assert.deepEqual([both.code, both.stdout], [2, ""]);
    assert.match(both.stderr, /^Name a file or a statement, not both\./);
    const missing = await app.run(["sql", join(app.folder, "missing.sql")]);
    assert.deepEqual([missing.code, missing.stdout], [2, ""]);
    assert.match(missing.stderr, /^There is no file .*missing\.sql\. To run a statement, use -c/);
  });

  test("is a shell on a terminal: several lines, errors, cancelling, history", async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    let shown = "";
    const running = runHere(["sql"], app.env, stdin, (text) => (shown += text));
    const type = async (text: string, expected: RegExp): Promise<void> => {
      const from = shown.length;
      stdin.write(text);
      for (const endMs = Date.now() + WAIT_MS; !expected.test(shown.slice(from)); await sleep(10))
        if (Date.now() > endMs)
          throw new Error(`${String(expected)} does not follow ${JSON.stringify(text)}: ${shown}`);
    };
    await type("", /swarmbase=> /);
    await type("select 1 +\r", /swarmbase-> /);
    await type("2 as three;\r", / three\s[^]*3\s[^]*swarmbase=> /);
    await type("selec;\r", /syntax error[^]*swarmbase=> /);
    await type("begin;\r", /swarmbase\*=> /);
    await type("select 1/0;\r", /swarmbase!=> /);
    await type("rollback;\r", /swarmbase=> /);
    await type("select 'forgotten\r", /swarmbase-> /);
    await type("\\r\r", /swarmbase=> /);
    await type("select pg_sleep(600);\r", /pg_sleep/);
    const active = "select from pg_stat_activity where query like 'select pg_sleep(600)%' and state = 'active'";
    await until(async () => (await app.owner.query(active)).rowCount !== 0, "the statement runs");
    await type("\u0003", /canceling statement due to user request[^]*swarmbase=> /);
    await type("select 4 as four; \\dn\r", / four\s[^]*\| swarmbase_owner[^]*swarmbase=> /);
    stdin.write("\\q\r");
    assert.equal((await running).code, 0);
    const history = join(app.folder, ".swarmbase_sql_history");
    assert.match(await readFile(history, "utf8"), /^select 1 \+\n2 as three;\n[^]*\\q\n$/);
    if (process.platform !== "win32") assert.equal((await stat(history)).mode & 0o777, 0o600);
  });
});
