-- API keys of users. The secret side of a key is a row of auth.sessions with the same id, so that the check of the
-- session that begins every transaction also covers keys: revocation, expiry, bans, deletion, signatures and second
-- factors.
--
-- Keys have exactly the scopes that they name, and can be bound to agents and swarms. What a scope permits is the table
-- of policies below: a policy raises an error when the key lacks the scope, and restricts the rows of a key that is
-- bound to resources. Requests of keys run as the role api_key, which inherits all of authenticated, so that requests
-- of people do not pay for these policies. Requests of the portal run as this role, too, with a scope that no key has.

-- Some constraints have a name because the one that PostgreSQL chooses is that of a constraint of private.api_keys.
create table public.api_keys (
  id uuid default private.new_id() constraint api_keys_id_given not null constraint api_keys_id_pkey primary key
    constraint api_keys_id_fkey references auth.sessions on delete cascade,
  user_id uuid not null constraint api_keys_user_id_fkey references auth.users on delete cascade,
  name text not null constraint api_keys_name_length check (char_length(name) between 1 and 100),
  scopes text[] not null
    constraint api_keys_scopes_known
      check (scopes <@ array['read', 'write', 'run', 'approve', 'share', 'secrets']),
  -- The first characters, by which people recognise a key that they have stored elsewhere.
  prefix text not null constraint api_keys_prefix_length check (char_length(prefix) between 3 and 16),
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz constraint api_keys_created_at_given not null default now(),
  -- The agents and swarms that the key is bound to. Null: it is not bound.
  resources jsonb constraint api_keys_resources_form
    check (resources is null or (jsonb_typeof(resources -> 'agents') = 'array'
      and jsonb_typeof(resources -> 'swarms') = 'array')),
  -- The program that acts, in auth.oauth_clients; null: a key that its user created.
  client_id text,
  constraint api_keys_scopes_not_empty check (cardinality(scopes) > 0 or client_id is not null)
);
create index api_keys_user_id_idx on public.api_keys (user_id, created_at);
alter table public.api_keys enable row level security;
-- New tables of public are the service role's. Keys change through the function alone, which keeps both rows together.
revoke insert, update, delete on public.api_keys from service_role;
grant select on public.api_keys to authenticated, service_role;
grant select, insert, update, delete on public.api_keys to sb_service;

-- The runs that keys started.
create table private.key_runs (
  run_id uuid constraint key_runs_pkey primary key constraint key_runs_run_id_fkey references public.runs
    on delete cascade,
  api_key_id uuid not null constraint key_runs_api_key_id_fkey references public.api_keys on delete cascade
);
create index key_runs_api_key_id_idx on private.key_runs (api_key_id);
alter table private.key_runs enable row level security;
grant select, insert, update, delete on private.key_runs to sb_service;

-- The swarms that keys created.
create table private.key_swarms (
  swarm_id uuid constraint key_swarms_pkey primary key constraint key_swarms_swarm_id_fkey references public.swarms
    on delete cascade,
  api_key_id uuid not null constraint key_swarms_api_key_id_fkey references public.api_keys on delete cascade
);
create index key_swarms_api_key_id_idx on private.key_swarms (api_key_id);
alter table private.key_swarms enable row level security;
grant select, insert, update, delete on private.key_swarms to sb_service;

-- after functions

create policy api_keys_select on public.api_keys for select to authenticated
  using (user_id = (select auth.uid()) and client_id is null);
create policy api_keys_service on public.api_keys to service_role, sb_service using (true) with check (true);

-- With the session, before anything is locked that runs lock after themselves; then the runs that began meanwhile.
create trigger sessions_cancel_key_runs before delete on auth.sessions for each row
  when (old.api_key_hash is not null) execute function private.cancel_key_runs();
create trigger api_keys_cancel_runs before delete on public.api_keys for each row
  execute function private.cancel_key_runs();
create trigger sessions_cancel_suspended_runs after update of suspended_until on auth.sessions for each row
  when (new.api_key_hash is not null and new.suspended_until > now()) execute function private.cancel_key_runs();

create policy key_runs_service on private.key_runs to sb_service using (true) with check (true);
create policy key_swarms_service on private.key_swarms to sb_service using (true) with check (true);

do $do$
declare
  reads constant text := '(select private.require_scopes(''read''))';
  reads_or_runs constant text := '(select private.require_read_or_run())';
  writes constant text := '(select private.require_scopes(''write''))';
  shares constant text := '(select private.require_scopes(''share''))';
  shares_all constant text := '(select private.require_scopes(''read'', ''share''))';
  portal_or_reads constant text := '(select private.require_portal_or_scopes(''read''))';
  portal_or_shares_all constant text := '(select private.require_portal_or_scopes(''read'', ''share''))';
  person constant text := '(select private.require_person())';
  of_swarm constant text := 'swarm_id = any (array(select private.key_swarm_ids()))';
  of_agent constant text := 'agent_id = any (array(select private.key_agent_ids()))';
  of_run constant text := 'private.is_key_run(run_id, swarm_id)';
  rule record;
  command text;
  condition text;
begin
  for rule in
    select * from (values
      -- Table, who reads it, who writes it, and the rows of a key that is bound to resources or does not read; null:
      -- none.
      ('agent_grants', reads, shares, of_agent),
      ('agents', reads_or_runs, writes, 'id = any (array(select private.key_agent_ids()))'),
      ('agent_tools', reads, writes, of_agent),
      ('agent_versions', reads, null, of_agent),
      ('api_keys', person, null, null),
      ('conversation_summaries', reads, writes, of_swarm),
      ('eval_cases', reads, writes, null),
      ('eval_datasets', reads, writes, null),
      ('eval_results', reads, writes, null),
      ('eval_runs', reads, writes, of_agent),
      ('event_feeds', reads, shares_all, null),
      ('event_types', portal_or_reads, null, 'true'),
      ('guardrails', reads, writes, of_agent || ' or ' || of_swarm),
      ('message_flags', reads, writes, of_swarm),
      ('message_revisions', reads, null, of_swarm),
      ('messages', reads_or_runs, writes, of_run || ' or private.is_key_message(id, swarm_id)'),
      ('model_call_prompts', reads, null, of_swarm),
      ('model_calls', reads, null, of_swarm),
      ('models', reads_or_runs, null, 'true'),
      ('profiles', reads, person, null),
      ('read_positions', reads, writes, of_swarm),
      ('run_events', reads_or_runs, null, of_run),
      ('run_turns', reads_or_runs, null, of_run),
      ('runs', reads_or_runs, null, 'private.is_key_run(id, swarm_id)'),
      ('swarm_agents', reads_or_runs, writes, of_swarm),
      ('swarm_members', reads, shares, of_swarm),
      ('swarms', reads_or_runs, writes, 'id = any (array(select private.key_swarm_ids()))'),
      ('tool_execution_payloads', reads_or_runs, null, 'private.is_key_execution(tool_execution_id)'),
      ('tool_executions', reads_or_runs, null, of_run),
      ('tools', reads, writes, 'id = any (array(select private.key_tool_ids()))'),
      ('usage_records', reads, null, of_swarm),
      ('user_settings', person, person, null),
      ('webhook_deliveries', portal_or_reads, null, null),
      ('webhook_delivery_attempts', portal_or_reads, null, null),
      ('webhook_recoveries', reads, null, null),
      ('webhooks', portal_or_reads, portal_or_shares_all, null)
    ) as rules (name, reader, writer, rows)
  loop
    foreach command in array array['select', 'insert', 'update', 'delete'] loop
      continue when not has_table_privilege('authenticated', format('public.%I', rule.name), command);
      -- A message is written in a swarm of the key, not only in a run that it started.
      condition := concat_ws(' or ', case command when 'select' then rule.reader else rule.writer end,
        case when rule.name = 'messages' and command <> 'select' then of_swarm
          when rule.name = 'tools' and command <> 'select' then null else rule.rows end);
      -- Evaluated before rows are read, so that the error does not tell whether a filter finds some.
      condition := format('%s is not null and (%s)',
        case command when 'select' then rule.reader else rule.writer end, condition);
      execute format('create policy %I on public.%I as restrictive for %s to api_key %s (%s)',
        rule.name || '_key_' || command, rule.name, command,
        case command when 'insert' then 'with check' else 'using' end, condition);
    end loop;
  end loop;
end
$do$;

create policy messages_key_select on realtime.messages as restrictive for select to api_key
  using ((select private.require_scopes('read')) is not null
    and ((select private.require_scopes('read')) or topic = any (array(select private.key_topics()))));
create policy messages_key_insert on realtime.messages as restrictive for insert to api_key
  with check ((select private.require_scopes('write')) or topic = any (array(select private.key_topics())));
