-- Tools and their assignment to agents. Secrets of tools are in a table of their own: neither policies nor the WAL hide
-- columns.

create table public.tools (
  id uuid default private.new_id() constraint tools_pkey primary key,
  owner_id uuid default auth.uid() constraint tools_owner_id_fkey references auth.users on delete cascade,
  name text not null constraint tools_name_format check (name ~ '^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$'),
  description text not null constraint tools_description_length check (char_length(description) between 1 and 1024),
  category text constraint tools_category_length check (char_length(category) <= 100),
  icon text constraint tools_icon_length check (char_length(icon) <= 2048),
  input_schema jsonb not null default '{"type": "object", "properties": {}}'
    constraint tools_input_schema_object check (jsonb_typeof(input_schema) = 'object'
      and input_schema ->> 'type' is not distinct from 'object')
    constraint tools_input_schema_size check (octet_length(input_schema::text) <= 32768),
  -- Extensions add kinds, named <extension>.<kind>, or by the kind alone: `rpc`, `function`. The database does not know
  -- which extensions a node has.
  kind text not null default 'http' constraint tools_kind_known check (
    kind in ('builtin', 'http', 'mcp', 'client', 'swarm') or kind ~ '^[a-z][a-z0-9-]{0,39}([.][a-z][a-z0-9_]{0,39})?$'),
  config jsonb not null default '{}'
    constraint tools_config_object check (jsonb_typeof(config) = 'object')
    constraint tools_config_size check (octet_length(config::text) <= 32768),
  visibility text not null default 'private'
    constraint tools_visibility_known check (visibility in ('private', 'shared', 'public')),
  requires_approval boolean not null default false,
  timeout_ms integer not null default 30000
    constraint tools_timeout_ms_range check (timeout_ms between 1000 and 120000),
  max_output_chars integer not null default 16000
    constraint tools_max_output_chars_range check (max_output_chars between 1 and 1000000),
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Secrets of tools are write-only; their names alone can be read. When a request sends secrets, the first element
  -- written here holds all of them encrypted; a trigger removes it before the row exists, so that neither the table nor
  -- its WAL ever contains it.
  secret_names text[] not null default '{}'
    constraint tools_secret_names_count check (cardinality(secret_names) <= 20),
  max_retries integer not null default 1 constraint tools_max_retries_range check (max_retries between 0 and 5),
  -- Whether a node may repeat a call of a node that was lost.
  idempotent boolean not null default false,
  -- The app vouches for the definition: the service role has created the tool or has said so, and the owner has not
  -- changed it since. A tool that acts for the person who asks works for others only then.
  is_vouched boolean not null default (current_user = 'service_role'),
  constraint tools_owner_id_name_key unique nulls not distinct (owner_id, name),
  constraint tools_kind_builtin_has_no_owner check (kind <> 'builtin' or owner_id is null),
  -- The client of a run executes tools of the kind client, and decides whether it executes a call.
  constraint tools_requires_approval_of_service check (kind <> 'client' or not requires_approval),
  -- Whoever else shall ask the agents of the swarm is given a grant.
  constraint tools_visibility_of_swarm check (kind <> 'swarm' or (visibility = 'private' and owner_id is not null)),
  -- A tool without an owner is open to all users, so it must be declared public.
  constraint tools_owner_id_present check (owner_id is not null or kind = 'builtin' or visibility = 'public')
);
create index tools_shared_idx on public.tools (owner_id) where visibility = 'shared';
create index tools_public_idx on public.tools (name) where visibility = 'public' or owner_id is null;
-- The owner may be null, which a replica identity index does not allow. The size limits of its columns keep the row
-- small.
alter table public.tools replica identity full;
alter table public.tools enable row level security;
grant select, insert, update, delete on public.tools to authenticated, service_role, sb_service;

create table private.tool_secrets (
  -- Deferred, because the row is written before the tool's row exists.
  tool_id uuid constraint tool_secrets_pkey primary key
    constraint tool_secrets_tool_id_fkey references public.tools on delete cascade deferrable initially deferred,
  secrets_wrapped bytea not null
    constraint tool_secrets_secrets_wrapped_size check (octet_length(secrets_wrapped) <= 65536),
  updated_at timestamptz not null default now()
);
alter table private.tool_secrets enable row level security;
grant select, insert, update, delete on private.tool_secrets to sb_service;

create table public.agent_tools (
  id uuid default private.new_id() constraint agent_tools_pkey primary key,
  agent_id uuid not null,
  tool_id uuid not null constraint agent_tools_tool_id_fkey references public.tools on delete cascade,
  user_id uuid not null,
  enabled boolean not null default true,
  configuration jsonb not null default '{}'
    constraint agent_tools_configuration_object check (jsonb_typeof(configuration) = 'object')
    constraint agent_tools_configuration_size check (octet_length(configuration::text) <= 32768),
  -- Who decides on the calls that need an approval. Null: as the grant says, without one the owner.
  approver text constraint agent_tools_approver_known check (approver in ('owner', 'asker')),
  -- As for the tool.
  is_vouched boolean not null default (current_user = 'service_role'),
  created_at timestamptz not null default now(),
  constraint agent_tools_agent_id_fkey foreign key (agent_id, user_id)
    references public.agents (id, user_id) on delete cascade,
  constraint agent_tools_agent_id_tool_id_key unique (agent_id, tool_id),
  constraint agent_tools_id_user_id_key unique (id, user_id)
);
create index agent_tools_tool_id_idx on public.agent_tools (tool_id);
create index agent_tools_user_id_idx on public.agent_tools (user_id);
create index agent_tools_agent_id_user_id_idx on public.agent_tools (agent_id, user_id);
alter table public.agent_tools replica identity using index agent_tools_id_user_id_key;
alter table public.agent_tools enable row level security;
grant select, insert, update, delete on public.agent_tools to authenticated, service_role, sb_service;

-- An approval belongs to the server and the credential that a tool uses: a tool that is stored later for the same
-- server asks too, whoever stores it, until a person or a key with `approve` switches its approval off.
create table private.approval_servers (
  owner_id uuid not null constraint approval_servers_owner_id_fkey references auth.users on delete cascade,
  server text not null,
  constraint approval_servers_pkey primary key (owner_id, server)
);
alter table private.approval_servers enable row level security;
grant select, insert, update, delete on private.approval_servers to sb_service;

-- Authorizations of the service at the servers of tools, by OAuth. One of an owner serves all tools of the owner that
-- have the same address. One of an asker is an account that a person has connected: tools with `account: asker` use it
-- in runs of that person, at addresses below `url` alone.
create table private.tool_authorizations (
  id uuid default private.new_id() constraint tool_authorizations_pkey primary key,
  -- Null: for tools without an owner.
  owner_id uuid constraint tool_authorizations_owner_id_fkey references auth.users on delete cascade,
  account text not null default 'owner'
    constraint tool_authorizations_account_known check (account in ('owner', 'asker')),
  -- The id of a client that the operator has registered. Null: the service has registered itself.
  client_id text constraint tool_authorizations_client_id_length check (char_length(client_id) <= 2048),
  -- The address of the tools. Of an asker: the resource that the tokens are for, with a slash at its end.
  url text not null constraint tool_authorizations_url_length check (char_length(url) between 1 and 2048),
  scope text constraint tool_authorizations_scope_length check (char_length(scope) <= 4096),
  -- Tokens, and what their renewal needs. Null until the person has agreed at the server, and when it withdraws that.
  credentials_wrapped bytea
    constraint tool_authorizations_credentials_wrapped_size check (octet_length(credentials_wrapped) <= 262144),
  authorized_at timestamptz,
  -- Increases with every change of the credentials.
  version bigint not null default 0,
  -- Servers accept a refresh token once, so only one node may use it.
  renewing_until timestamptz,
  -- The attempt that waits for the person. The state that the browser returns is stored as its SHA-256.
  state_hash bytea constraint tool_authorizations_state_hash_key unique,
  state_expires_at timestamptz,
  redirect_to text constraint tool_authorizations_redirect_to_length check (char_length(redirect_to) <= 2048),
  attempt_wrapped bytea
    constraint tool_authorizations_attempt_wrapped_size check (octet_length(attempt_wrapped) <= 262144),
  created_at timestamptz not null default now(),
  constraint tool_authorizations_asker_is_person check (account = 'owner' or owner_id is not null),
  constraint tool_authorizations_owner_id_account_client_id_url_key
    unique nulls not distinct (owner_id, account, client_id, url)
);
create index tool_authorizations_state_expires_at_idx on private.tool_authorizations (state_expires_at)
  where authorized_at is null;
alter table private.tool_authorizations enable row level security;
grant select, insert, update, delete on private.tool_authorizations to sb_service;

-- after functions

create policy tools_insert on public.tools for insert to authenticated
  with check (owner_id = (select auth.uid()) and kind <> 'builtin' and visibility <> 'public');
create policy tools_update on public.tools for update to authenticated using (owner_id = (select auth.uid()))
  with check (owner_id = (select auth.uid()) and kind <> 'builtin' and visibility <> 'public');
create policy tools_delete on public.tools for delete to authenticated using (owner_id = (select auth.uid()));
create policy tools_service on public.tools to service_role, sb_service using (true) with check (true);
-- Members of a common swarm see each other's shared tools.
create policy tools_select on public.tools for select to authenticated
  using (owner_id is null or visibility = 'public' or owner_id = (select auth.uid())
         or (visibility = 'shared' and owner_id = any (array(select private.my_co_member_ids()))));

create trigger tools_stamp before insert or update on public.tools for each row
  execute function private.stamp_created_and_updated();
create trigger tools_freeze before update of id, kind on public.tools for each row
  when ((new.id, new.kind) is distinct from (old.id, old.kind))
  execute function private.reject_change('id', 'kind');
create trigger tools_keep_owner before update of owner_id on public.tools for each row
  when (new.owner_id is distinct from old.owner_id) execute function private.reject_transfer('owner_id');
create trigger tools_store_secrets before insert or update of secret_names, config on public.tools
  for each row execute function private.store_tool_secrets();
create trigger tools_mark_vouched before insert or update of name, description, input_schema, config, secret_names,
  requires_approval, timeout_ms, max_output_chars, max_retries, idempotent, is_vouched on public.tools
  for each row execute function private.mark_vouched();
-- An API key that may not decide about tool calls must not make their approval unnecessary either.
create trigger tools_require_approve_scope before update of requires_approval on public.tools for each row
  when (old.requires_approval and not new.requires_approval) execute function private.require_key_scope('approve');
create trigger tools_keep_approval before insert or update of kind, config, secret_names, requires_approval
  on public.tools for each row execute function private.keep_tool_approval();
create trigger tools_release_server after update of requires_approval, config or delete on public.tools for each row
  when (old.requires_approval) execute function private.release_approval_server();

create trigger tools_check_swarm after insert or update of config on public.tools for each row
  when (new.kind = 'swarm') execute function private.check_swarm_of_tool();

create constraint trigger tools_store_versions after update on public.tools deferrable initially deferred
  for each row when (new.owner_id is not null) execute function private.store_versions_with_tool();

create policy tool_secrets_service on private.tool_secrets to sb_service using (true) with check (true);
create policy approval_servers_service on private.approval_servers to sb_service using (true) with check (true);
create policy tool_authorizations_service on private.tool_authorizations to sb_service using (true) with check (true);

create policy agent_tools_select on public.agent_tools for select to authenticated
  using (user_id = (select auth.uid()));
create policy agent_tools_insert on public.agent_tools for insert to authenticated
  with check (user_id = (select auth.uid()) and exists (select 1 from public.tools t where t.id = tool_id));
create policy agent_tools_update on public.agent_tools for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy agent_tools_delete on public.agent_tools for delete to authenticated
  using (user_id = (select auth.uid()));
create policy agent_tools_service on public.agent_tools to service_role, sb_service using (true) with check (true);

create trigger agent_tools_a_require before insert on public.agent_tools for each row
  when (new.agent_id is null) execute function private.require_columns('agent_id');
create trigger agent_tools_check_agent before insert on public.agent_tools for each row
  execute function private.check_agent_exists();
create trigger agent_tools_assign_owner before insert on public.agent_tools for each row
  execute function private.assign_agent_owner();
create trigger agent_tools_stamp before insert or update on public.agent_tools for each row
  execute function private.stamp_created();
create trigger agent_tools_freeze before update on public.agent_tools for each row
  when ((new.id, new.agent_id, new.tool_id) is distinct from (old.id, old.agent_id, old.tool_id))
  execute function private.reject_change('id', 'agent_id', 'tool_id');
create trigger agent_tools_keep_owner before update on public.agent_tools for each row
  when (new.user_id is distinct from old.user_id) execute function private.reject_transfer('user_id');
create constraint trigger agent_tools_store_version after insert or delete on public.agent_tools
  deferrable initially deferred for each row execute function private.store_version_of_agent();
create trigger agent_tools_mark_vouched before insert or update of configuration, is_vouched on public.agent_tools
  for each row execute function private.mark_vouched();
create constraint trigger agent_tools_store_changed_version after update on public.agent_tools
  deferrable initially deferred for each row
  when ((new.enabled, new.configuration, new.approver, new.is_vouched)
    is distinct from (old.enabled, old.configuration, old.approver, old.is_vouched))
  execute function private.store_version_of_agent();

-- The built-in tools. They only read or wait, so a call can be repeated.
insert into public.tools (id, owner_id, name, description, category, kind, visibility, idempotent, timeout_ms,
    input_schema) values
  ('019a8000-0000-7000-8000-000000000001', null, 'current_time',
   'Tells what time and date it is now, in a time zone if one is named.', 'time', 'builtin', 'public', true, 5000,
   '{"type": "object", "properties": {"timezone": {"type": "string", "maxLength": 64,
     "description": "IANA name of a time zone, such as Europe/Berlin; UTC when left out"}},
     "additionalProperties": false}'),
  ('019a8000-0000-7000-8000-000000000002', null, 'calculator',
   'Computes an arithmetic expression exactly as it is written: + - * / % ^, parentheses, sqrt, abs, round, floor, '
     'ceil, min, max, log, ln, exp, sin, cos, tan, pi, e.',
   'math', 'builtin', 'public', true, 5000,
   '{"type": "object", "properties": {"expression": {"type": "string", "minLength": 1, "maxLength": 1000,
     "description": "for example (3 + 4) * 2 ^ 10"}}, "required": ["expression"], "additionalProperties": false}'),
  ('019a8000-0000-7000-8000-000000000003', null, 'json_query',
   'Picks a part of a JSON text: by a path such as items[0].name or items[*].id, '
     'or by a JSON Pointer such as /items/0/name.',
   'data', 'builtin', 'public', true, 5000,
   '{"type": "object", "properties": {"json": {"type": "string", "maxLength": 60000, "description": "the JSON text"},
     "path": {"type": "string", "maxLength": 500, "description": "the path; empty for the whole"}},
     "required": ["json", "path"], "additionalProperties": false}'),
  ('019a8000-0000-7000-8000-000000000004', null, 'http_get',
   'Fetches a public HTTPS address by GET and gives back its text. Redirects are not followed.',
   'web', 'builtin', 'public', true, 15000,
   '{"type": "object", "properties": {"url": {"type": "string", "minLength": 9, "maxLength": 2048,
     "description": "begins with https://"}},
     "required": ["url"], "additionalProperties": false}'),
  ('019a8000-0000-7000-8000-000000000005', null, 'search_messages',
   'Finds earlier messages of this conversation that contain a text, newest first.',
   'conversation', 'builtin', 'public', true, 10000,
   '{"type": "object", "properties": {"query": {"type": "string", "minLength": 1, "maxLength": 200,
     "description": "the text, in any case"},
     "limit": {"type": "integer", "minimum": 1, "maximum": 50, "description": "at most so many; 10 when left out"}},
     "required": ["query"], "additionalProperties": false}'),
  ('019a8000-0000-7000-8000-000000000006', null, 'sleep',
   'Waits until a time, or for a number of seconds, at most 366 days. Give either until or seconds.',
   'time', 'builtin', 'public', true, 5000,
   '{"type": "object", "properties": {
     "until": {"type": "string", "maxLength": 40, "description": "a time with its offset: 2026-11-20T09:00:00+01:00"},
     "seconds": {"type": "integer", "minimum": 1, "maximum": 31622400}}, "additionalProperties": false}'),
  ('019a8000-0000-7000-8000-000000000007', null, 'wait_for_event',
   'Waits until the app reports an event by its name, and at most until a deadline: give either until or seconds, at '
     'most 366 days. The result says whether a signal or the time has ended the wait.',
   'time', 'builtin', 'public', true, 5000,
   '{"type": "object", "properties": {
     "name": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$",
       "description": "the name of the event, such as report.ready"},
     "until": {"type": "string", "maxLength": 40, "description": "a time with its offset: 2026-11-20T09:00:00+01:00"},
     "seconds": {"type": "integer", "minimum": 1, "maximum": 31622400},
     "from": {"type": "string", "enum": ["starter", "members"],
       "description": "who reports it: the person who has asked and the app, or any member; starter when left out"}},
     "required": ["name"], "additionalProperties": false}');
