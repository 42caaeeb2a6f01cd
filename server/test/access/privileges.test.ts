import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

/** Rights as the catalogue lists them, so that a new object without a rule is found before anybody thinks of trying it. */
let database: TestDatabase;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  database = await createTestDatabase({ after: (close) => closers.push(close) });
});
after(async () => {
  for (const close of closers) await close();
});

async function list(text: string): Promise<string[]> {
  const { rows } = await database.owner.query<{ name: string }>(text);
  return rows.map(({ name }) => name).toSorted();
}

const OURS = "('public', 'auth', 'private')";

describe("tables", () => {
  test("all have row rules", async () => {
    assert.deepEqual(
      await list(
        `select c.oid::regclass::text as name from pg_class c
         where c.relnamespace::regnamespace::text in ${OURS} and c.relkind in ('r', 'p') and not c.relrowsecurity`,
      ),
      [],
    );
  });

  test("none is open to everybody, to anon or to a user's login", async () => {
    assert.deepEqual(
      await list(
        `select c.oid::regclass || ' ' || acl.privilege_type || ' to ' || acl.grantee::regrole as name
         from pg_class c, aclexplode(c.relacl) acl
         where c.relnamespace::regnamespace::text in ${OURS}
           and (acl.grantee = 0 or acl.grantee in ('anon'::regrole, 'sb_user'::regrole))`,
      ),
      [],
    );
  });

  test("none outside public is open to a role of the interface", async () => {
    assert.deepEqual(
      await list(
        `select c.oid::regclass || ' ' || acl.privilege_type || ' to ' || acl.grantee::regrole as name
         from pg_class c, aclexplode(c.relacl) acl
         where c.relnamespace::regnamespace::text in ('auth', 'private')
           and acl.grantee in ('authenticated'::regrole, 'service_role'::regrole)`,
      ),
      [],
    );
  });

  test("users may read and write rows, and nothing else", async () => {
    assert.deepEqual(
      await list(
        `select c.oid::regclass || ' ' || acl.privilege_type as name from pg_class c, aclexplode(c.relacl) acl
         where acl.grantee = 'authenticated'::regrole
           and (acl.is_grantable or acl.privilege_type not in ('SELECT', 'INSERT', 'UPDATE', 'DELETE'))`,
      ),
      [],
    );
  });

  test("views show rows by the caller's rights, or keep the caller's filters behind their own", async () => {
    assert.deepEqual(
      await list(
        `select c.oid::regclass || ' ' || coalesce(array_to_string(c.reloptions, ' '), 'unguarded') as name
         from pg_class c where c.relnamespace::regnamespace::text in ${OURS} and c.relkind in ('v', 'm')`,
      ),
      [
        "agent_cards security_barrier=true",
        "agent_customers security_barrier=true",
        "agent_offers security_barrier=true",
        "customer_turns security_barrier=true",
        "event_feed_backlog security_barrier=true",
        "private.open_invitations security_barrier=true",
        "private.subscriptions security_invoker=true",
        "public_profiles security_barrier=true",
        "published_agents security_barrier=true",
        "swarm_invitations security_barrier=true",
        "usage_daily security_invoker=true",
        "webhook_backlog security_barrier=true",
        "webhook_previous_secrets security_barrier=true",
      ],
    );
  });
});

describe("API keys", () => {
  test("a condition on the current role that names authenticated also names api_key", async () => {
    const { rows } = await database.owner.query<{ name: string; text: string }>(
      `select p.oid::regprocedure::text as name, p.prosrc as text from pg_proc p
       where p.pronamespace::regnamespace::text in ${OURS}
       union all
       select t.tgname, pg_get_triggerdef(t.oid) from pg_trigger t
       union all
       select polname, concat(pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)) from pg_policy
       union all
       select c.oid::regclass::text, pg_get_viewdef(c.oid) from pg_class c
       where c.relkind = 'v' and c.relnamespace::regnamespace::text in ${OURS}`,
    );
    const conditions = rows.flatMap(({ name, text }) =>
      Array.from(text.matchAll(/current_user[^;'"]*'[^)\]]*/gi), ([condition]) => ({ name, condition })),
    );
    assert.ok(conditions.length > 20);
    const incomplete = conditions.filter(
      ({ condition }) => condition.includes("'authenticated'") && !condition.includes("'api_key'"),
    );
    assert.deepEqual(incomplete, []);
  });

  test("people do not pay for the policies of keys", async () => {
    assert.deepEqual(
      await list(
        `select polrelid::regclass || ' ' || polname as name from pg_policy
         where 'api_key'::regrole <> all (polroles)
           and concat(pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)) ~ 'private.(require_|key_)'`,
      ),
      [],
    );
  });
});

describe("functions", () => {
  test("none may be called by everybody", async () => {
    assert.deepEqual(
      await list(
        `select p.oid::regprocedure::text as name
         from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) acl
         where p.pronamespace::regnamespace::text in ${OURS} and acl.grantee = 0`,
      ),
      [],
    );
  });

  test("anon may ask who it is, make an id, and set conditions on what it does", async () => {
    assert.deepEqual(
      await list(
        `select p.oid::regprocedure::text as name from pg_proc p
         where p.pronamespace::regnamespace::text in ${OURS} and has_function_privilege('anon', p.oid, 'execute')`,
      ),
      [
        "auth.email()",
        "auth.jwt()",
        "auth.role()",
        "auth.uid()",
        "private.count_bytes(integer,bigint,bigint)",
        "private.cut_list(json,integer)",
        "private.new_id()",
        "private.require_at_most(bigint,bigint)",
        "private.require_single(bigint)",
      ],
    );
  });

  test("those that act with the owner's rights and that a user may call answer about the caller alone", async () => {
    assert.deepEqual(
      await list(
        `select p.oid::regprocedure::text as name from pg_proc p
         where p.pronamespace::regnamespace::text in ${OURS} and p.prosecdef
           and (has_function_privilege('authenticated', p.oid, 'execute') or has_function_privilege('anon', p.oid, 'execute'))`,
      ),
      [
        "agent_owner_id(swarm_agents)",
        "may_decide(tool_executions)",
        "private.claim_idempotency_key(text,bytea)",
        "private.commit_event_feed(uuid,text,text)",
        "private.emit_as_user(text,json,uuid,uuid)",
        "private.find_framework_of(text)",
        "private.find_kept_result(text,bytea)",
        "private.invitation_expiry()",
        "private.is_key_execution(uuid)",
        "private.is_key_message(uuid,uuid)",
        "private.is_key_run(uuid,uuid)",
        "private.keep_result(text[],bigint)",
        "private.key_agent_ids()",
        "private.key_swarm_ids()",
        "private.key_tool_ids()",
        "private.may_i_write(uuid)",
        "private.may_publish()",
        "private.my_agent_ids()",
        "private.my_agent_offers()",
        "private.my_co_member_ids()",
        "private.my_granted_agent_ids()",
        "private.my_hidden_swarm_ids()",
        "private.my_managed_swarm_ids()",
        "private.my_pending_execution_ids()",
        "private.my_proven_email()",
        "private.my_published_agents()",
        "private.my_swarm_ids()",
        "private.my_transcript_ids()",
        "private.my_writable_swarm_ids()",
        "private.read_event_feed(uuid,text,text,integer,integer)",
        "private.reject_if_private(uuid)",
        "private_agent_id(swarms)",
        "started_by(swarms)",
        "transcripts(swarms)",
      ],
    );
  });

  // An empty path is not enough: temporary types would still come first.
  test("those that act with the owner's rights resolve no name by the caller's search path", async () => {
    assert.deepEqual(
      await list(
        `select p.oid::regprocedure::text as name from pg_proc p
         where p.pronamespace::regnamespace::text in ${OURS} and p.prosecdef
           and not 'search_path=pg_catalog, pg_temp' = any (coalesce(p.proconfig, '{}'))`,
      ),
      [],
    );
  });
});

describe("roles", () => {
  const NAMES =
    "('anon', 'authenticated', 'api_key', 'service_role', 'sb_user', 'sb_service', 'sb_hook', 'swarmbase_owner')";

  test("the logins may become what they serve, and only API keys inherit, from users", async () => {
    assert.deepEqual(
      await list(
        `select m.member::regrole || ' becomes ' || m.roleid::regrole || case when m.inherit_option then ' and inherits' else '' end
           || case when m.admin_option then ' and grants' else '' end as name
         from pg_auth_members m join pg_roles r on r.oid = m.member where r.rolname in ${NAMES}`,
      ),
      [
        "api_key becomes authenticated and inherits",
        "sb_service becomes anon",
        "sb_service becomes api_key",
        "sb_service becomes authenticated",
        "sb_service becomes service_role",
        "sb_user becomes anon",
        "sb_user becomes api_key",
        "sb_user becomes authenticated",
      ],
    );
  });

  test("none has a power over the server, and only the service role passes over row rules", async () => {
    assert.deepEqual(
      await list(
        `select rolname::text as name from pg_roles
         where rolname in ${NAMES} and (rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls)`,
      ),
      ["service_role"],
    );
  });

  test("everything belongs to the owner of the schema, which serves no request", async () => {
    assert.deepEqual(
      await list(
        `select distinct owner::regrole::text as name from (
           select relowner as owner from pg_class where relnamespace::regnamespace::text in ${OURS}
           union all select proowner from pg_proc where pronamespace::regnamespace::text in ${OURS}
           union all select nspowner from pg_namespace where nspname in ('auth', 'private')) as objects`,
      ),
      ["swarmbase_owner"],
    );
  });

  test("only the owner may create in our schemas", async () => {
    assert.deepEqual(
      await list(
        `select r.rolname || ' in ' || n.nspname as name from pg_roles r, pg_namespace n
         where n.nspname in ${OURS} and has_schema_privilege(r.oid, n.oid, 'create')
           and not r.rolsuper and r.rolname not in ('swarmbase_owner', 'pg_database_owner')`,
      ),
      [],
    );
  });
});
