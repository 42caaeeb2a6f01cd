-- Runs on a provider that hangs do not hold up runs on others: a node claims no more runs of a provider than it has places for, and
-- claims those behind them instead.

-- Whether an agent of the swarm may speak in a run: one that the run names, else any of them, and the coordinator where the strategy
-- asks it. `frameworksOf` in server/src/agents/respond decides the same when a run is admitted. A single expression, which PostgreSQL
-- puts into the statement that uses it.
create function private.may_speak(request jsonb, strategy text, coordinator_id uuid, agent_id uuid) returns boolean
language sql immutable
as $$
  select coalesce(coalesce(nullif(request -> 'agent_ids', '[]'), request -> 'mentions') ? agent_id::text, true)
    or (strategy in ('handoff', 'selector', 'supervisor') and agent_id = coordinator_id)
$$;

create function private.run_frameworks(run public.runs) returns text[]
language sql stable
as $$
  select coalesce(array_agg(distinct a.framework), '{}')
  from public.swarms s
  join public.swarm_agents sa on sa.swarm_id = s.id and sa.enabled
  join public.agents a on a.id = sa.agent_id
  where s.id = run.swarm_id and private.may_speak(run.request, run.strategy, s.coordinator_agent_id, a.id)
$$;

drop function private.claim_runs(text, integer, integer);

-- Oldest first, one per swarm. `rooms` says how many more runs the node may carry out for each framework of `bounded`; a run that finds
-- none stays queued. Ends when a room is used up: those behind, which do not need it, are claimed by the next call. Most runs that wait
-- are queued, so is_run_claimable, which PostgreSQL cannot inline, is not called for them.
create function private.claim_runs(
  owner text, lease_ms integer, max_runs integer, bounded text[] default '{}', rooms integer[] default '{}')
returns table (run_id uuid, fence bigint, frameworks text[])
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  candidate public.runs;
  claimed integer := 0;
  full_frameworks text[] := array(
    select place.framework from unnest(claim_runs.bounded, claim_runs.rooms) as place (framework, room) where place.room <= 0);
begin
  for candidate in
    select r.* from public.runs r
    where r.status in ('queued', 'requires_action') and (r.status = 'queued' or private.is_run_claimable(r))
      and not exists (select 1 from public.runs busy where busy.swarm_id = r.swarm_id and busy.status = 'running')
      and not exists (select 1 from public.runs older
                      where older.swarm_id = r.swarm_id and older.status in ('queued', 'requires_action')
                        and (older.queued_at, older.id) < (r.queued_at, r.id)
                        and (older.status = 'queued' or private.is_run_claimable(older)))
      and (cardinality(full_frameworks) = 0 or not exists (
        select 1 from public.swarms s
        join public.swarm_agents sa on sa.swarm_id = s.id and sa.enabled
        join public.agents a on a.id = sa.agent_id
        where s.id = r.swarm_id and a.framework = any (full_frameworks)
          and private.may_speak(r.request, r.strategy, s.coordinator_agent_id, a.id)))
    order by r.queued_at, r.id
    limit claim_runs.max_runs * 2
  loop
    exit when claimed >= claim_runs.max_runs;
    claim_runs.fence := private.start_run(candidate.id, claim_runs.owner, claim_runs.lease_ms);
    continue when claim_runs.fence is null;
    claim_runs.run_id := candidate.id;
    claim_runs.frameworks := case when cardinality(claim_runs.bounded) > 0 then private.run_frameworks(candidate) else '{}' end;
    claim_runs.rooms := array(
      select place.room - (place.framework = any (claim_runs.frameworks))::integer
      from unnest(claim_runs.bounded, claim_runs.rooms) with ordinality as place (framework, room, at) order by place.at);
    claimed := claimed + 1;
    return next;
    exit when exists (select 1 from unnest(claim_runs.bounded, claim_runs.rooms) as place (framework, room)
                      where place.room <= 0 and place.framework <> all (full_frameworks));
  end loop;
end
$$;
grant execute on function private.claim_runs(text, integer, integer, text[], integer[]) to sb_service;
