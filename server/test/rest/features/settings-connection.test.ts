import assert from "node:assert/strict";
import { describe, it } from "node:test";
import pg from "pg";
import { ANON, openRestStage, SERVICE } from "./rest-stage.ts";

const codeOf = (answer: { json: unknown }): string => (answer.json as { code: string }).code;

describe("state that a function leaves on its connection", () => {
  const opened = openRestStage(
    `create schema shop;
     create table shop.items (id int primary key, name text);
     create table shop.vault (secret text);
     insert into shop.vault values ('gold');
     create function shop.do(command text) returns text language plpgsql as $$
       declare result text;
       begin
         if command ~* '^select' then execute command into result; else execute command; end if;
         return result;
       end $$;
     create function shop.do_stable(command text) returns text language plpgsql stable as $$
       begin return shop.do(command); end $$;
     create view shop.leaky as select set_config('app.left', 'by a view', false) as done;
     create function shop.leave() returns trigger language plpgsql as $$
       begin perform set_config('app.left', 'by a trigger', false); return new; end $$;
     create table shop.leaving (id int);
     create trigger leave before insert on shop.leaving for each row execute function shop.leave();
     create table shop.checked (id int);
     alter table shop.checked enable row level security;
     create policy leaky on shop.checked using (set_config('app.left', 'by a policy', false) is not null);
     grant usage on schema shop to anon, authenticated, service_role;
     grant all on shop.vault to service_role;
     grant all on shop.items, shop.leaky, shop.leaving, shop.checked to anon, authenticated, service_role;
     grant execute on all functions in schema shop to anon, authenticated, service_role`,
    { schemas: ["shop"], statementTimeoutMs: 2_000 },
  );
  const ask = (...args: Parameters<typeof opened.stage.ask>) => opened.stage.ask(...args);
  const run = (command: string, as = ANON) => ask("POST /rpc/do", { as, body: { command } });
  const pid = async (as = ANON): Promise<unknown> => (await run("select pg_backend_pid()", as)).json;

  it("is reset before the next request on the same connection", async () => {
    const backend = await pid();
    for (const leave of [
      "select set_config('app.left', 'x', false)",
      "set app.\"left\" = 'x'",
      "set search_path = pg_temp",
      "set statement_timeout = 0",
      "set timezone = 'Asia/Kolkata'",
      'set request.jwt.claims = \'{"role":"service_role"}\'',
      "set session characteristics as transaction read only",
      "set default_transaction_read_only = on",
      "select pg_advisory_lock(4711)",
      "listen left_channel",
      "declare left_cursor cursor with hold for select 1",
    ]) {
      const answer = await run(leave);
      assert.equal(answer.status, 200, `${leave}: ${answer.text}`);
      assert.equal(await pid(), backend, "the connection is used again");
      const seen = await run(
        `select json_build_object('left', coalesce(current_setting('app.left', true), ''), 'timeout', current_setting('statement_timeout'),
           'path', current_setting('search_path'), 'zone', current_setting('timezone'), 'claims', current_setting('request.jwt.claims'),
           'locks', (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()),
           'listening', (select count(*) from pg_listening_channels()), 'cursors', (select count(*) from pg_cursors where name = 'left_cursor'),
           'readonly', current_setting('default_transaction_read_only'))`,
      );
      const { zone, ...rest } = JSON.parse(seen.json as string) as Record<string, unknown>;
      assert.notEqual(zone, "Asia/Kolkata", leave);
      assert.deepEqual(
        rest,
        {
          left: "",
          timeout: "2s",
          path: '"shop"',
          claims: '{"role":"anon"}',
          locks: 0,
          listening: 0,
          cursors: 0,
          readonly: "off",
        },
        leave,
      );
    }
    const { rows } = await opened.stage.run("select pg_try_advisory_lock(4711) as free");
    assert.deepEqual(rows, [{ free: true }]);
    await opened.stage.run("select pg_advisory_unlock_all()");
  });

  it("is reset after views, triggers and row-level rules", async () => {
    for (const [line, body] of [
      ["GET /leaky", undefined],
      ["POST /leaving", { id: 1 }],
      ["GET /checked", undefined],
    ] as const) {
      const backend = await pid();
      await opened.stage.run("insert into shop.checked values (1)");
      const answer = await ask(line, { as: ANON, ...(body !== undefined && { body }) });
      assert.ok(answer.status < 300, answer.text);
      const left = await run("select coalesce(current_setting('app.left', true), '') || pg_backend_pid()");
      assert.equal(left.json, String(backend), line);
    }
  });

  it("is reset after a failed request", async () => {
    const answer = await run("select set_config('app.left', 'x', false), pg_advisory_lock(4712), 1 / 0");
    assert.equal(codeOf(answer), "22012");
    const left = await run(
      `select coalesce(current_setting('app.left', true), '') || (select count(*) from pg_locks l
         join pg_database d on d.oid = l.database where l.locktype = 'advisory' and d.datname = current_database())`,
    );
    assert.equal(left.json, "0");
  });

  it("cannot be another role: the login of users is not a member of the service role", async () => {
    const user = await opened.stage.addUser();
    for (const as of [ANON, user]) {
      for (const command of [
        "select set_config('role', 'service_role', false)",
        "set role service_role",
        "set local role service_role",
        "set session authorization sb_service",
        "set role swarmbase_owner",
      ]) {
        const answer = await run(command, as);
        assert.ok([401, 403].includes(answer.status), `${command}: ${answer.status} ${answer.text}`);
        const vault = await ask("GET /vault", { as });
        assert.ok([401, 403].includes(vault.status), command);
        const role = (await run("select current_user", as)).json;
        assert.equal(role, as.role);
      }
    }
  });

  it("is not a role: resetting it gives the login, which owns nothing, for that request only", async () => {
    const user = await opened.stage.addUser();
    const answer = await run("reset role", user);
    if (answer.status === 200) {
      const peek = await ask("POST /rpc/do", {
        as: user,
        body: { command: "select set_config('role', 'none', false) || (select secret from shop.vault)" },
      });
      assert.ok(peek.status >= 400, peek.text);
    }
    assert.equal((await run("select current_user", user)).json, "authenticated");
    assert.equal((await run("select current_user", ANON)).json, "anon");
  });

  it("is not a prepared statement: a connection with a foreign one is not reused", async () => {
    const backend = await pid();
    for (const name of ["left_behind", "anon_1", "anon_2", "login_1"]) {
      const answer = await run(`prepare ${name} as select 'not yours'`);
      assert.ok([200, 400].includes(answer.status), answer.text);
      const seen = await run("select count(*) from pg_prepared_statements where from_sql");
      assert.equal(seen.json, "0");
    }
    assert.notEqual(await pid(), backend);
    // Responses belong to their requests, whatever names were taken.
    for (let times = 0; times < 5; times += 1) {
      assert.deepEqual((await ask("GET /items", { as: ANON })).json, []);
    }
  });

  it("is not a missing prepared statement: removed ones are prepared again", async () => {
    for (let times = 0; times < 4; times += 1) await ask("GET /items?select=id", { as: ANON });
    assert.equal((await run("deallocate all")).status, 200);
    for (let times = 0; times < 4; times += 1) {
      const answer = await ask("GET /items?select=id", { as: ANON });
      assert.deepEqual([answer.status, answer.json], [200, []], answer.text);
    }
  });

  it("is not a temporary table", async () => {
    await opened.stage.run(`create function shop.hide() returns void language sql security definer
      as 'create temp table hidden_here (id int)'; grant execute on function shop.hide() to anon;
      grant temporary on database ${opened.stage.database.adminUrl.match(/test_[0-9a-f]+/)?.[0]} to swarmbase_owner`);
    const hidden = await ask("POST /rpc/hide", { as: ANON, body: {} });
    assert.equal(hidden.status, 204, hidden.text);
    const left = await run("select count(*) from pg_class where relname = 'hidden_here' and pg_table_is_visible(oid)");
    assert.equal(left.json, "0");
    assert.equal((await ask("POST /rpc/hide", { as: ANON, body: {} })).status, 204);
  });

  it("cannot turn a read into a write", async () => {
    for (const command of [
      "set transaction read write",
      "select set_config('transaction_read_only', 'off', true)",
      "select set_config('transaction_read_only', 'off', false)",
      "insert into shop.items values (1, 'written by a read')",
    ]) {
      const answer = await ask(`GET /rpc/do_stable?command=${encodeURIComponent(command)}`, { as: ANON });
      assert.ok(answer.status >= 400, command);
      const both = `do $x$ begin ${command.replace(/^select/, "perform")}; insert into shop.items values (2, 'x'); end $x$`;
      const tried = await ask(`GET /rpc/do_stable?command=${encodeURIComponent(both)}`, { as: ANON });
      assert.ok(tried.status >= 400, both);
    }
    assert.deepEqual((await ask("GET /items", { as: ANON })).json, []);
    assert.equal((await run("insert into shop.items values (3, 'by post')")).status, 200);
    await run("delete from shop.items");
  });

  it("cannot end the transaction on its own", async () => {
    for (const command of ["commit", "rollback", "begin"]) {
      const answer = await run(command);
      assert.ok(answer.status >= 400, `${command} ${answer.text}`);
    }
    assert.equal((await run("select 1")).json, "1");
  });

  it("does not affect concurrent requests", async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        at % 3 === 0
          ? run("select set_config('app.left', 'x', false)")
          : run("select coalesce(current_setting('app.left', true), '')", at % 3 === 1 ? ANON : SERVICE),
      ),
    );
    for (const [at, answer] of answers.entries()) assert.equal(answer.json, at % 3 === 0 ? "x" : "", String(at));
  });

  it("does not stop the next request when it ends the connection", async () => {
    const answer = await run("select pg_terminate_backend(pg_backend_pid())");
    assert.ok(answer.status >= 500 || answer.status === 403 || answer.status === 401, answer.text);
    for (let times = 0; times < 6; times += 1) assert.equal((await run("select 1")).json, "1");
  });
});

describe("a session that has ended", () => {
  const opened = openRestStage(
    `create schema shop;
     create table shop.items (id int primary key, name text);
     grant usage on schema shop to anon, authenticated, service_role;
     grant all on shop.items to authenticated, service_role`,
    { schemas: ["shop"] },
  );

  it("is rejected also for a new request shape, and leaves no partly prepared statement", async () => {
    const { stage } = opened;
    const [dead, alive] = [await stage.addUser(), await stage.addUser()];
    const admin = new pg.Client({ connectionString: stage.database.adminUrl });
    await admin.connect();
    await admin.query("delete from auth.sessions where user_id = $1", [dead.userId]);
    await admin.end();
    const requests = [
      ["GET /items?select=id", undefined],
      ["GET /items?select=id,name&order=id", undefined],
      ["POST /items", { id: 1, name: "a" }],
      ["PATCH /items?id=eq.1", { name: "b" }],
      ["PUT /items?id=eq.2", { id: 2, name: "c" }],
      ["DELETE /items?id=eq.2", undefined],
    ] as const;
    for (const [line, body] of requests) {
      const sent = body === undefined ? {} : { body };
      for (let times = 0; times < 3; times += 1) {
        const rejected = await stage.ask(line, { as: dead, ...sent });
        assert.deepEqual([rejected.status, codeOf(rejected)], [401, "UNAUTHORIZED"], line);
      }
      for (let times = 0; times < 3; times += 1) {
        const answer = await stage.ask(line, {
          as: alive,
          ...sent,
          headers: { prefer: "resolution=merge-duplicates" },
        });
        assert.ok(answer.status < 300, `${line}: ${answer.text}`);
      }
      const after = await stage.ask(line, { as: dead, ...sent });
      assert.equal(after.status, 401);
    }
    assert.deepEqual((await stage.ask("GET /items")).json, [{ id: 1, name: "b" }]);
  });

  it("changes nothing, however many requests are concurrent", async () => {
    const { stage } = opened;
    const [dead, alive] = [await stage.addUser(), await stage.addUser()];
    const admin = new pg.Client({ connectionString: stage.database.adminUrl });
    await admin.connect();
    await admin.query("delete from auth.sessions where user_id = $1", [dead.userId]);
    await admin.end();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        stage.ask("POST /items?columns=id,name", {
          as: at % 2 === 0 ? dead : alive,
          body: { id: 100 + at, name: at % 2 === 0 ? "dead" : "alive" },
        }),
      ),
    );
    for (const [at, { status }] of answers.entries()) assert.equal(status, at % 2 === 0 ? 401 : 201);
    assert.deepEqual((await stage.ask("GET /items?name=eq.dead")).json, []);
  });
});

describe("a statement that takes too long", () => {
  const opened = openRestStage(
    `create schema shop;
     create table shop.texts (id int primary key, body text, doc jsonb);
     insert into shop.texts values (1, (select string_agg(md5(n::text), '') from generate_series(1, 200) n), jsonb_build_object('n', (select jsonb_agg(n) from generate_series(1, 3000) n)));
     create function shop.nap(seconds float) returns text language sql as $$ select 'awake' from pg_sleep(seconds) $$;
     create function shop.find(path jsonpath) returns setof jsonb language sql stable
       as 'select jsonb_path_query(doc, path) from shop.texts';
     create function shop.spin() returns int language plpgsql as $$ begin loop null; end loop; end $$;
     create function shop.nap_longer() returns text language plpgsql as $$
       begin perform set_config('statement_timeout', '0', true); perform pg_sleep(20); return 'awake'; end $$;
     grant usage on schema shop to anon, authenticated, service_role;
     grant all on shop.texts to service_role;
     grant execute on all functions in schema shop to service_role`,
    { schemas: ["shop"], statementTimeoutMs: 400 },
  );
  const ask = (...args: Parameters<typeof opened.stage.ask>) => opened.stage.ask(...args);
  const REGEX_BOMB = "^(.+)(.+)(.+)(.+)\\1\\2\\3\\4$";
  const PATH_BOMB = "$.n[*] ? (exists($.n[*] ? (exists($.n[*] ? (@ > 100000)))))";

  for (const [what, line, body] of [
    ["a regular expression", `GET /texts?select=id&body=match.${encodeURIComponent(REGEX_BOMB)}`, undefined],
    ["a regular expression in a write", `DELETE /texts?body=imatch.${encodeURIComponent(REGEX_BOMB)}`, undefined],
    ["a JSON path", "POST /rpc/find", { path: PATH_BOMB }],
    ["a long sleep", "POST /rpc/nap", { seconds: 30 }],
    ["a loop", "POST /rpc/spin", {}],
    ["a function that lifts the limit for itself", "POST /rpc/nap_longer", {}],
  ] as const) {
    it(`is stopped with a clear error: ${what}`, async () => {
      const answer = await ask(line, body === undefined ? {} : { body });
      assert.deepEqual([answer.status, codeOf(answer)], [504, "57014"], answer.text);
      const { message, hint } = answer.json as Record<string, string>;
      assert.match(message ?? "", /statement timeout/);
      assert.match(hint ?? "", /timeout/);
    });
  }

  it("leaves its connection usable and the data unchanged", async () => {
    await Promise.all(Array.from({ length: 8 }, () => ask("POST /rpc/nap", { body: { seconds: 30 } })));
    const answer = await ask("GET /texts?select=id");
    assert.deepEqual([answer.status, answer.json], [200, [{ id: 1 }]]);
    assert.equal((await ask("POST /rpc/nap", { body: { seconds: 0 } })).json, "awake");
  });
});
