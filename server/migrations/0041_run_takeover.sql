-- Another node continues the run of a node that was lost. Tools say whether a call may be repeated.

alter table private.run_leases
  add column takeovers integer not null default 0,
  add column is_taken_over boolean not null default false;
comment on column private.run_leases.takeovers is 'How often another node has taken over the run.';
comment on column private.run_leases.is_taken_over is 'The holder has taken over the run of a lost node.';

alter table private.run_progress add column saved_at timestamptz not null default now();

alter table public.tools add column idempotent boolean not null default false;
-- They only read and compute.
update public.tools set idempotent = true where kind = 'builtin';

-- Their parameters or results changed; the function files create the new ones.
drop function if exists private.answer_taken_runs(json[], integer[], uuid[], jsonb[], json[], boolean[], text[],
  public.run_events[], json[]);
drop function if exists private.renew_run_leases(uuid[], bigint[], integer);
