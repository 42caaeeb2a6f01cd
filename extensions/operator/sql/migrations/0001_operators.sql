-- Who may call the routes of this extension. Nobody has the right to write it: the functions of operators.sql do,
-- which the command line and the routes of the service role call.
create table ext_operator.operators (
  user_id uuid constraint operators_pkey primary key
    constraint operators_user_id_fkey references auth.users on delete cascade,
  created_at timestamptz not null default now()
);
alter table ext_operator.operators enable row level security;
create policy operators_service on ext_operator.operators for select to sb_service using (true);
grant usage on schema ext_operator to sb_service;
grant select on ext_operator.operators to sb_service;

-- Append-only for everybody: ext_operator.admit, ext_operator.settle and ext_operator.record write entries, and
-- ext_operator.delete_old_audit deletes them by age. They reference no account, because they stay when one is deleted.
create table ext_operator.audit (
  id bigint generated always as identity constraint audit_pkey primary key,
  created_at timestamptz not null default now(),
  actor text not null constraint audit_actor_known check (actor in ('operator', 'service', 'command')),
  -- The operator; null for the service role and the command line.
  user_id uuid,
  action text not null constraint audit_action_length check (char_length(action) between 1 and 100),
  target text constraint audit_target_length check (char_length(target) <= 500),
  request_id text constraint audit_request_id_length check (char_length(request_id) <= 200),
  -- Null until the call has ended; it stays null when the process was lost meanwhile.
  outcome text constraint audit_outcome_known check (outcome in ('done', 'rejected', 'failed', 'denied')),
  status integer,
  -- The reason, the key of a row, and what was changed with old and new values, which are neither secrets nor texts of
  -- conversations.
  details jsonb not null default '{}' constraint audit_details_object check (jsonb_typeof(details) = 'object'),
  -- The call changes nothing. Lists leave it out, unless its details say that it has read texts of conversations.
  is_read boolean not null default false,
  -- The user whom the call is about: the target, an account that was made, or the user of a row.
  subject_id uuid generated always as (substring(
    coalesce(substring(target from '^users/(.*)'), details ->> 'user_id', details -> 'key' ->> 'user_id')
    from '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$')::uuid) stored
);
create index audit_created_at_idx on ext_operator.audit (created_at);
create index audit_user_id_idx on ext_operator.audit (user_id, id);
create index audit_request_id_idx on ext_operator.audit (request_id);
create index audit_target_idx on ext_operator.audit (target, id);
create index audit_subject_id_idx on ext_operator.audit (subject_id, id);
create index audit_shown_idx on ext_operator.audit (id) where not is_read or details ? 'content';
alter table ext_operator.audit enable row level security;
create policy audit_service on ext_operator.audit for select to sb_service using (true);
grant select on ext_operator.audit to sb_service;
