-- Tools of the kind client, which the client of a run executes: their calls wait for a result. Retries per tool.

alter table public.tools
  drop constraint tools_kind_known,
  add constraint tools_kind_known
    check (kind in ('builtin', 'http', 'mcp', 'client') or kind ~ '^[a-z][a-z0-9-]{0,39}[.][a-z][a-z0-9_]{0,39}$'),
  add column max_retries integer not null default 1
    constraint tools_max_retries_range check (max_retries between 0 and 5),
  -- The client decides whether it executes a call.
  add constraint tools_requires_approval_of_service check (kind <> 'client' or not requires_approval);

alter table public.tool_executions
  drop constraint tool_executions_status_known,
  add constraint tool_executions_status_known check (status in ('pending_approval', 'pending_client', 'running',
    'succeeded', 'failed', 'denied', 'timed_out', 'cancelled'));
drop index public.tool_executions_pending_idx;
create index tool_executions_pending_idx on public.tool_executions (expires_at)
  where status in ('pending_approval', 'pending_client');

-- after functions

drop function if exists private.render_pending_approvals(public.runs, uuid, boolean);
