import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { migrate, type TransactionScope } from "../../src/db/index.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { enter } from "./attempt.ts";
import { requestScope, userScope } from "./callers.ts";
import { openStage, type Stage } from "./stage.ts";

/** What SQL that is not ours (a function that somebody added) can reach from inside a request on the users' login. */
let stage: Stage;
let client: pg.Client;
before(async () => {
  stage = await openStage();
  client = new pg.Client({ connectionString: stage.database.url("sb_user") });
  await client.connect();
});
after(async () => {
  await client.end();
  await stage.close();
});

const owner = (): TransactionScope => userScope(stage.ids.get("owner") ?? "", "owner@example.test");
const HIGHER_ROLES = ["service_role", "sb_service", "swarmbase_owner", "postgres", "pg_read_all_data"];

async function request(scope: TransactionScope, ...statements: string[]): Promise<pg.QueryResult> {
  await client.query("begin");
  try {
    await enter(client, scope);
    let result: pg.QueryResult | undefined;
    for (const statement of statements) result = await client.query(statement);
    await client.query("commit");
    return result as pg.QueryResult;
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

const refused = { code: "42501" };

describe("another role", () => {
  for (const role of HIGHER_ROLES) {
    test(`${role} cannot be taken`, async () => {
      for (const statement of [
        `set role ${role}`,
        `set local role ${role}`,
        `select set_config('role', '${role}', true)`,
        `select set_config('role', '${role}', false)`,
        `set session authorization ${role}`,
        `select set_config('session_authorization', '${role}', true)`,
      ]) {
        await assert.rejects(request(owner(), statement), refused, statement);
        await assert.rejects(request(owner(), "reset role", statement), refused, `reset role; ${statement}`);
      }
    });

    test(`a function of the interface cannot take ${role}`, async () => {
      const name = `public.become_${role}`;
      await stage.database.owner.query(
        `create function ${name}() returns text language sql as $$ select set_config('role', '${role}', true) $$;
         grant execute on function ${name}() to authenticated`,
      );
      await assert.rejects(request(owner(), `select ${name}()`), refused);
    });
  }

  test("the login itself reads nothing", async () => {
    const { rows } = await stage.database.owner.query<{ name: string }>(
      `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('public', 'auth', 'private') and c.relkind in ('r', 'v')`,
    );
    assert.ok(rows.length > 40);
    for (const { name } of rows) {
      await assert.rejects(request(owner(), "reset role", `select 1 from ${name}`), refused, name);
    }
  });
});

describe("what a request leaves behind", () => {
  const identity =
    "select current_user::text as role, auth.uid() as uid, current_setting('search_path') as path, current_setting('swarmbase.context', true) as context";

  test("nothing, when the transaction has ended", async () => {
    await request(owner(), "select 1");
    const { rows } = await client.query(
      "select current_user::text as role, nullif(current_setting('request.jwt.claims', true), '') as claims",
    );
    assert.deepEqual(rows, [{ role: "sb_user", claims: null }]);
  });

  test("nothing that the next one meets, even if it meant to", async () => {
    const claims = JSON.stringify(owner().claims);
    await request(
      owner(),
      "select set_config('role', 'authenticated', false)",
      `select set_config('request.jwt.claims', '${claims}', false)`,
      "select set_config('search_path', 'pg_temp, public', false)",
    );
    const { rows } = await request(requestScope("anon", {}), identity);
    assert.deepEqual(rows, [{ role: "anon", uid: null, path: '"public"', context: null }]);
    await assert.rejects(request(requestScope("anon", {}), "select 1 from public.agents"), refused);
    await client.query("discard all");
  });

  test("row rules that are switched off hide everything instead of showing it", async () => {
    await assert.rejects(request(owner(), "set local row_security = off", "select 1 from public.agents"), refused);
  });

  test("an actor of the caller's invention does not reach an event", () =>
    stage.play(async ({ as, asInternal }) => {
      const context = JSON.stringify({ actor: { type: "service", id: null } });
      await as("owner", `select set_config('swarmbase.context', '${context}', true)`);
      await as("owner", "insert into public.agents (name) values ('New')");
      const { rows } = await asInternal("select data -> 'actor' as actor from private.events where id <> :event");
      assert.deepEqual(rows, [{ actor: { type: "user", id: stage.ids.get("owner") } }]);
    }));
});

describe("claims that name nobody", () => {
  const everything = "select (select count(*) from public.agents) + (select count(*) from public.swarms) as count";
  const nobody: Record<string, unknown> = {
    "an empty subject": { sub: "", role: "authenticated" },
    "no subject": { role: "authenticated" },
    "a null subject": { sub: null, role: "authenticated" },
    "a subject that has no account": { sub: "00000000-0000-4000-8000-000000000000", role: "authenticated" },
    "a list": [{ sub: "x" }],
  };
  for (const [title, claims] of Object.entries(nobody)) {
    const scope = requestScope("authenticated", claims as TransactionScope["claims"]);
    test(`${title}: sees nothing`, async () => {
      assert.deepEqual((await request(scope, everything)).rows, [{ count: "0" }]);
    });
    test(`${title}: makes nothing`, async () => {
      await assert.rejects(request(scope, "insert into public.agents (name) values ('x')"), (error: pg.DatabaseError) =>
        ["42501", "23503"].includes(error.code ?? ""),
      );
    });
  }

  for (const sub of ["owner@example.test", "1 or true", "' or ''='", { id: 1 }, ["x"], 7]) {
    test(`the subject ${JSON.stringify(sub)} is an error`, async () => {
      const scope = requestScope("authenticated", { sub, role: "authenticated" });
      await assert.rejects(request(scope, everything), { code: "22P02" });
    });
  }
});

describe("names that shadow ours", () => {
  // As on a server whose administrator does not own the database: there nobody could take this right away.
  before(async () => {
    const admin = new pg.Client({ connectionString: stage.database.adminUrl });
    await admin.connect();
    await admin.query(
      "do $$ begin execute format('grant temporary on database %I to public', current_database()); end $$",
    );
    await admin.end();
  });

  // A name without a schema is looked for among temporary types first, unless the search path says otherwise.
  for (const type of ["jsonb", "text", "uuid"]) {
    test(`what acts with the owner's rights does not meet a caller's own type ${type}`, () =>
      stage.play(async ({ as }) => {
        await as("owner", "create temporary table caught (who text)");
        await as("owner", "grant insert on caught to public");
        await as(
          "owner",
          `create function pg_temp.spy(value anyelement) returns boolean language plpgsql
           as $$ begin insert into pg_temp.caught values (current_user); return true; end $$`,
        );
        const made = await as(
          "owner",
          `create domain pg_temp.${type} as pg_catalog.${type} check (pg_temp.spy(value))`,
        );
        assert.equal(made.code, null, "this database lets everybody make temporary types");
        for (const statement of [
          "insert into public.agents (name) values ('New')",
          "update public.agents set name = 'Renamed' where id = :ownerAgent",
          "update public.swarms set coordinator_agent_id = :ownerAgent, status = 'completed' where id = :swarm",
          "insert into public.swarm_agents (swarm_id, agent_id) values (:swarm, :ownerSpare)",
          "update public.swarm_members set role = 'viewer' where id = :memberMembership",
          "delete from public.swarm_members where id = :viewerMembership",
          "insert into public.messages (swarm_id, content) values (:swarm, 'hi')",
          "update public.messages set content = 'changed' where id = :ownerMessage",
          "insert into public.message_flags (message_id) values (:agentMessage)",
          "delete from public.messages where id = :ownerMessage",
          "delete from public.agents where id = :ownerAgent",
          "delete from public.tools where id = :privateTool",
          "insert into public.swarms (name) values ('New')",
          "delete from public.swarms where id = :swarm",
          "select 1 from public.messages",
        ]) {
          await as("owner", statement);
        }
        const { rows } = await as("owner", "select distinct who from pg_temp.caught where who <> 'authenticated'");
        assert.deepEqual(rows, []);
      }));
  }

  test("nobody but the schema's owner may make tables, also temporary ones", async () => {
    // A migration by the owner of the database takes the right away.
    const { adminUrl, masterKey } = stage.database;
    await migrate({ adminUrl, masterKey, observer: silentObserver, settings: { agentLimitPerUser: 100 } });
    for (const scope of [requestScope("anon", {}), owner()]) {
      for (const statement of [
        "create temporary table agents (id uuid)",
        "create table public.shadow (id uuid)",
        "create table private.shadow (id uuid)",
        "create schema shadow",
        "create function public.shadow() returns int language sql as 'select 1'",
      ]) {
        await assert.rejects(request(scope, statement), refused, statement);
        await assert.rejects(request(scope, "reset role", statement), refused, statement);
      }
    }
  });
});
