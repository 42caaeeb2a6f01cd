-- Guardrails: the rows that users write, and the flags that runs write.

-- The service makes the secret of a webhook. A value that is sent back with the row, or any other, has no effect.
create or replace function private.prepare_guardrail() returns trigger language plpgsql
as $$
begin
  new.name := private.trim_whitespace(new.name);
  if tg_op = 'UPDATE' then
    new.secret := old.secret;
  elsif new.kind = 'webhook' then
    -- An upsert of a row that was read before also fires this trigger and keeps the stored secret in its update.
    new.secret := 'whsec_' || pg_catalog.encode(private.random_32_bytes(), 'base64');
  else
    new.secret := null;
  end if;
  return new;
end
$$;

create or replace function private.enforce_guardrail_limit() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  allowed constant integer := 20;
begin
  -- Prevents two concurrent inserts from both taking the last place.
  perform 1 from public.swarms s where s.id in (select n.swarm_id from new_rows n) order by s.id for no key update;
  perform 1 from public.agents a where a.id in (select n.agent_id from new_rows n) order by a.id for no key update;
  if exists (select 1 from public.guardrails g where g.agent_id in (select n.agent_id from new_rows n)
             group by g.agent_id having count(*) > allowed)
     or exists (select 1 from public.guardrails g where g.swarm_id in (select n.swarm_id from new_rows n)
                group by g.swarm_id having count(*) > allowed) then
    raise exception 'an agent and a swarm may have at most % guardrails each', allowed
      using errcode = 'check_violation', schema = 'public', table = 'guardrails',
            constraint = 'guardrails_limit_per_owner';
  end if;
  return null;
end
$$;

-- The active guardrails of a swarm and of the agents that may speak in it to a sender, in the order in which they
-- apply. With `agent_version`, or the version of a grant, an agent has those of that version, with their current
-- secrets. A plpgsql function keeps the statement that loads runs small.
create or replace function private.build_guardrails(swarm_id uuid, sender_id uuid, agent_version integer) returns json
language plpgsql stable
as $$
declare
  -- Of a sub-task: those of the swarm that the tool names.
  guarded_id constant uuid := coalesce(
    (select t.template_id from private.sub_tasks t where t.swarm_id = build_guardrails.swarm_id), swarm_id);
begin
  -- Most swarms have none, and the statement below is a larger one.
  if not exists (select 1 from public.guardrails g where g.swarm_id = guarded_id)
     and not exists (select 1 from public.swarm_agents sa join public.guardrails g on g.agent_id = sa.agent_id
                     where sa.swarm_id = build_guardrails.swarm_id)
     and build_guardrails.agent_version is null
     and not exists (select 1 from public.swarm_agents sa
                     join public.agent_grants g on g.agent_id = sa.agent_id and g.agent_version is not null
                     where sa.swarm_id = build_guardrails.swarm_id) then
    return '[]';
  end if;
  return (
    with speakers as (
      select sa.agent_id, v.guardrails
      from private.list_speakers(build_guardrails.swarm_id, build_guardrails.sender_id) as sa
      left join public.agent_versions v on v.agent_id = sa.agent_id
        and v.number = coalesce(build_guardrails.agent_version, sa.agent_version)
    )
    select coalesce(json_agg(json_build_object('id', g.id, 'agent_id', g.agent_id, 'name', g.name, 'kind', g.kind,
        'stage', g.stage, 'action', g.action, 'config', g.config, 'secret', g.secret)
      order by g.agent_id is not null, g.position, g.created_at, g.id), '[]')
    from (select s.id, s.agent_id, s.name, s.kind, s.stage, s.action, s.config, s.position, s.is_active, s.created_at,
            s.secret
          from public.guardrails s where s.swarm_id = guarded_id
          union all
          select a.id, a.agent_id, a.name, a.kind, a.stage, a.action, a.config, a.position, a.is_active, a.created_at,
            a.secret
          from speakers sp join public.guardrails a on a.agent_id = sp.agent_id where sp.guardrails is null
          union all
          -- Versions have them in the order in which they apply.
          select w.guardrail_id, sp.agent_id, w.name, w.kind, w.stage, w.action, w.config, w.place, w.is_active, null,
            a.secret
          from speakers sp
          cross join lateral rows from (jsonb_to_recordset(sp.guardrails) as (guardrail_id uuid, name text, kind text,
            stage text, action text, config jsonb, is_active boolean)) with ordinality as w (guardrail_id, name, kind,
            stage, action, config, is_active, place)
          left join public.guardrails a on a.id = w.guardrail_id and a.agent_id = sp.agent_id) as g
    where g.is_active);
end
$$;

-- Flags messages that a guardrail stopped or changed, once for each message and guardrail. The lock keeps a message
-- that is being deleted from failing the insert, and is the one that the flag's trigger takes next.
create or replace function private.flag_messages(run public.runs, step jsonb) returns jsonb
language plpgsql volatile
as $$
begin
  insert into public.message_flags (message_id, swarm_id, source, guardrail_id, category, reason)
  select m.id, m.swarm_id, 'guardrail', f.guardrail_id, case when checks.is_known then f.category else 'guardrail' end,
    case when checks.is_known then f.reason end
  from jsonb_to_recordset(step -> 'flags') as f (message_id uuid, guardrail_id uuid, category text, reason text)
  cross join lateral (
    select m.id, m.swarm_id from public.messages m
    where m.id = f.message_id and m.swarm_id = run.swarm_id and m.deleted_at is null
    for no key update) as m
  -- The guardrails of an agent whose owner is not a member are not for those who read the flag.
  cross join lateral (select exists (
    select 1 from public.guardrails g
    left join public.agents a on a.id = g.agent_id
    where g.id = f.guardrail_id and (g.swarm_id = run.swarm_id or exists (
      select 1 from public.swarm_members s
      where s.swarm_id = run.swarm_id and s.user_id = a.user_id and s.status = 'active')))) as checks (is_known)
  on conflict on constraint message_flags_message_id_guardrail_id_key do nothing;
  return jsonb_build_object('events', '[]'::jsonb);
end
$$;
