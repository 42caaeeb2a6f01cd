import { TEMPLATE } from "../../support/cluster.ts";

const SCHEMAS = "('public', 'auth', 'private')";
const TABLES = `select c.oid, n.nspname, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ${SCHEMAS} and c.relkind in ('r', 'p')`;
const FUNCTIONS = `select p.* from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname in ${SCHEMAS}`;

export interface SchemaRule {
  /** Lists what breaks the rule, as `fault`. */
  readonly faults: string;
  /** A change that the rule must see. */
  readonly breach: string;
}

export const RULES: Readonly<Record<string, SchemaRule>> = {
  "row rules are on, and not forced, on every table": {
    faults: `
    select t.oid::regclass as fault from (${TABLES}) t join pg_class c on c.oid = t.oid where not c.relrowsecurity or c.relforcerowsecurity`,
    breach: "alter table private.events disable row level security",
  },
  "everything belongs to the owner": {
    faults: `
    select c.oid::regclass::text as fault from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ${SCHEMAS} and pg_get_userbyid(c.relowner) <> 'swarmbase_owner'
    union all select p.oid::regprocedure::text from (${FUNCTIONS}) p where pg_get_userbyid(p.proowner) <> 'swarmbase_owner'
    union all select t.oid::regtype::text from pg_type t join pg_namespace n on n.oid = t.typnamespace
      where n.nspname in ${SCHEMAS} and pg_get_userbyid(t.typowner) <> 'swarmbase_owner'
    union all select nspname from pg_namespace where nspname in ('auth', 'private') and pg_get_userbyid(nspowner) <> 'swarmbase_owner'`,
    breach: "alter table public.agents owner to current_user",
  },
  "roles that serve requests own nothing": {
    faults: `
    select classid::regclass || ' ' || objid as fault from pg_shdepend
    where refclassid = 'pg_authid'::regclass and deptype = 'o' and dbid in (0, (select oid from pg_database where datname = current_database()))
      and refobjid in (select oid from pg_roles where rolname in ('sb_user', 'sb_service', 'anon', 'authenticated', 'service_role'))`,
    breach: "alter function private.new_id() owner to sb_service",
  },
  "a role becomes only what it must": {
    faults: `
    with recursive reach (member, role) as (
      select member, roleid from pg_auth_members
      union select reach.member, m.roleid from reach join pg_auth_members m on m.member = reach.role)
    select member.rolname || ' > ' || role.rolname as fault from reach
    join pg_roles member on member.oid = reach.member join pg_roles role on role.oid = reach.role
    where member.rolname in ('sb_user', 'sb_service', 'anon', 'authenticated', 'api_key', 'service_role')
      and member.rolname || ' > ' || role.rolname not in ('sb_user > anon', 'sb_user > authenticated', 'sb_user > api_key',
        'sb_service > anon', 'sb_service > authenticated', 'sb_service > api_key', 'sb_service > service_role',
        'api_key > authenticated')`,
    breach: "grant swarmbase_owner to authenticated",
  },
  "no role inherits or has an attribute that it does not need": {
    faults: `
    select rolname as fault from pg_roles
    where rolname in ('swarmbase_owner', 'sb_user', 'sb_service', 'anon', 'authenticated', 'api_key', 'service_role')
      and (rolsuper or rolinherit <> (rolname = 'api_key') or rolcreaterole or rolcreatedb or rolreplication or (rolbypassrls and rolname <> 'service_role')
        or rolcanlogin <> (rolname in ('swarmbase_owner', 'sb_user', 'sb_service')))`,
    breach: "alter role sb_user inherit",
  },
  "nobody but the owner may do more with a table than read and write rows": {
    faults: `
    select c.oid::regclass || ': ' || a.privilege_type || ' to ' || coalesce(r.rolname, 'public') as fault
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    cross join lateral aclexplode(c.relacl) a left join pg_roles r on r.oid = a.grantee
    where n.nspname in ${SCHEMAS} and a.grantee <> c.relowner
      and (a.is_grantable or a.privilege_type not in ('SELECT', 'INSERT', 'UPDATE', 'DELETE'))`,
    breach: "grant truncate on public.agents to authenticated",
  },
  "views are for reading": {
    faults: `
    select c.oid::regclass || ': ' || a.privilege_type || ' to ' || r.rolname as fault
    from pg_class c cross join lateral aclexplode(c.relacl) a join pg_roles r on r.oid = a.grantee
    where c.relkind = 'v' and c.relnamespace = 'public'::regnamespace and a.grantee <> c.relowner and a.privilege_type <> 'SELECT'`,
    breach: "grant update on public.agent_cards to authenticated",
  },
  "private and auth tables are for the service's own login": {
    faults: `
    select t.oid::regclass || ' to ' || coalesce(r.rolname, 'public') as fault
    from (${TABLES}) t join pg_class c on c.oid = t.oid cross join lateral aclexplode(c.relacl) a left join pg_roles r on r.oid = a.grantee
    where t.nspname in ('auth', 'private') and a.grantee <> c.relowner and r.rolname is distinct from 'sb_service'`,
    breach: "grant select on private.settings to service_role",
  },
  "anon has no right on any table or view but that of channel rules, sb_user none but to ask whether a session lives": {
    faults: `
    select c.oid::regclass || ' to ' || r.rolname as fault
    from pg_class c cross join lateral aclexplode(c.relacl) a left join pg_roles r on r.oid = a.grantee
    where c.oid >= 16384 and c.oid <> 'realtime.messages'::regclass and (a.grantee = 0 or r.rolname in ('anon', 'sb_user'))
    union all select p.oid::regprocedure || ' to sb_user' from (${FUNCTIONS}) p cross join lateral aclexplode(p.proacl) a
    where a.grantee = 'sb_user'::regrole
      and p.oid <> all (array['private.require_live_session(uuid, uuid, int)', 'private.is_session_live(uuid, uuid)',
        'private.reject_unsigned_request(uuid)', 'private.require_second_factor(uuid, uuid)',
        'private.require_message_signature(uuid)']::regprocedure[])`,
    breach: "grant select on public.agents to anon",
  },
  "PUBLIC executes none of our functions": {
    faults: `
    select p.oid::regprocedure as fault from (${FUNCTIONS}) p
    cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0`,
    breach: "grant execute on function private.emit_event(text, json, uuid[]) to public",
  },
  "PUBLIC creates nothing and enters only public": {
    faults: `
    select n.nspname || ' ' || a.privilege_type as fault from pg_namespace n
    cross join lateral aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a
    where n.nspname in ${SCHEMAS} and a.grantee = 0 and (n.nspname <> 'public' or a.privilege_type <> 'USAGE')`,
    breach: "grant create on schema public to public",
  },
  "PUBLIC makes no temporary tables": {
    faults: `
    select datname as fault from pg_database cross join lateral aclexplode(coalesce(datacl, acldefault('d', datdba))) a
    where datname = '${TEMPLATE}' and a.grantee = 0 and a.privilege_type <> 'CONNECT'`,
    breach: `grant temporary on database ${TEMPLATE} to public`,
  },
  "a function with its owner's rights pins search_path": {
    faults: `
    select p.oid::regprocedure as fault from (${FUNCTIONS}) p
    where p.prosecdef and not coalesce(p.proconfig @> array['search_path=pg_catalog, pg_temp'], false)`,
    breach: "alter function private.my_swarm_ids() set search_path = public",
  },
  "only what the interface offers lives in public": {
    faults: `
    select p.oid::regprocedure::text as fault from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.oid::regprocedure::text not in ('tool(agent_tools)', 'agent_cards(swarm_agents)',
      'public_profiles(swarm_members)', 'public_profiles(messages)', 'turns(runs)', 'duration_ms(runs)', 'webhook_health(uuid,integer)',
      'private_agent_id(swarms)', 'started_by(swarms)', 'transcripts(swarms)', 'agent_owner_id(swarm_agents)', 'may_decide(tool_executions)',
      'header_names(webhooks)', 'webhook_attempt_counts(uuid,timestamp with time zone,timestamp with time zone,integer)',
      'restore_agent_version(uuid,integer)','emit_event(text,json,uuid,uuid)')`,
    breach: "create function public.extra() returns int language sql as 'select 1'",
  },
  "an index covers every foreign key": {
    faults: `
    select con.conrelid::regclass || ' ' || con.conname as fault from pg_constraint con
    where con.contype = 'f' and con.connamespace::regnamespace::text in ${SCHEMAS} and not exists (
      select 1 from pg_index i where i.indrelid = con.conrelid and i.indisvalid
        and (i.indkey::int2[])[0:cardinality(con.conkey) - 1] @> con.conkey
        and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) ~ '^\\(\\w+ IS NOT NULL\\)$'))`,
    breach: "drop index public.agents_user_id_idx",
  },
  "a constraint bears the name of its table, and nothing else does": {
    faults: `
    select con.conname as fault from pg_constraint con join pg_class c on c.oid = con.conrelid
      where con.connamespace::regnamespace::text in ${SCHEMAS} and not starts_with(con.conname, c.relname || '_')
    union all select conname from pg_constraint where connamespace::regnamespace::text in ${SCHEMAS} group by conname having count(*) > 1`,
    breach: "alter table public.agents add constraint extra check (true)",
  },
  "a check of a public table names a column that it checks": {
    // One that stands for several says in its function which of them is broken.
    faults: `
    select coalesce(named.parts[1], con.conname) as fault from pg_constraint con
    left join pg_depend d on d.classid = 'pg_constraint'::regclass and d.objid = con.oid
      and d.refclassid = 'pg_proc'::regclass and con.conname ~ '_valid$'
    left join pg_proc p on p.oid = d.refobjid
    left join lateral regexp_matches(p.prosrc, $$then '(\\w+)'$$, 'g') as named (parts) on true
    where con.contype = 'c' and con.connamespace = 'public'::regnamespace and not exists (
      select 1 from pg_attribute a where a.attrelid = con.conrelid and a.attnum = any (con.conkey)
        and coalesce(named.parts[1], con.conname) ~ ('_' || a.attname || '(_|$)'))`,
    breach: "alter table public.agents add constraint agents_extra check (name <> 'x')",
  },
  "a key that clients see grows with time": {
    faults: `
    select t.oid::regclass as fault from (${TABLES}) t
    join pg_attribute a on a.attrelid = t.oid and a.attname = 'id' and a.atttypid = 'uuid'::regtype
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where pg_get_expr(d.adbin, d.adrelid) is distinct from 'private.new_id()' and t.relname <> 'profiles'`,
    breach: "alter table public.agents alter column id set default gen_random_uuid()",
  },
  "policies ask who is calling once per statement": {
    faults: `
    select p.polrelid::regclass || ' ' || p.polname as fault from pg_policy p
    cross join lateral (values (pg_get_expr(p.polqual, p.polrelid)), (pg_get_expr(p.polwithcheck, p.polrelid))) as e (text)
    -- What a key that is bound to resources sees of a run depends on the row.
    where regexp_replace(e.text,
      '\\( ?SELECT (auth|private)\\.\\w+\\((VARIADIC ARRAY\\[[^]]*\\])?\\) AS \\w+\\)|private\\.is_key_\\w+\\(', '', 'g')
      ~ '(auth|private)\\.\\w+\\('`,
    breach: "create policy extra on public.agents for select to authenticated using (user_id = auth.uid())",
  },
  // Owner and swarm columns. Events of runs are narrowed by their swarm and need no index on the agent.
  "an index leads with what a policy compares": {
    faults: `
  select distinct p.polrelid::regclass || '.' || a.attname as fault from pg_policy p
  cross join lateral (values (pg_get_expr(p.polqual, p.polrelid))) as e (text)
  join pg_attribute a on a.attrelid = p.polrelid and a.attnum > 0
  where e.text ~ ('\\m' || a.attname || ' = (ANY )?\\(')
    and not exists (select 1 from pg_index i where i.indrelid = p.polrelid and i.indkey[0] = a.attnum)
    and p.polrelid::regclass || '.' || a.attname not in ('run_events.agent_id', 'model_call_prompts.swarm_id')`,
    breach: "create policy extra on public.agents for select to authenticated using (name = (select auth.email()))",
  },
  // With two, a request that embeds one in the other has to name the foreign key, and those that do not fail.
  "two public tables have one foreign key between them": {
    faults: `
    select fault from (
      select least(k.conrelid::regclass::text, k.confrelid::regclass::text) || ' ' ||
        greatest(k.conrelid::regclass::text, k.confrelid::regclass::text) as fault
      from pg_constraint k join (${TABLES}) t on t.oid = k.conrelid join (${TABLES}) f on f.oid = k.confrelid
      where k.contype = 'f' and t.nspname = 'public' and f.nspname = 'public' and k.conrelid <> k.confrelid) as pairs
    -- A message belongs to a run, and a run answers a message.
    where fault <> 'messages runs' group by fault having count(*) > 1`,
    breach: "alter table public.swarms add foreign key (id) references public.runs (id)",
  },
};
