-- Agents.

-- The framework that answers for a vendor: the one that is configured with it, else the one of its keys.
create or replace function private.find_framework_of(vendor text) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    (select min(provider.key) from private.settings s cross join lateral jsonb_each_text(s.value) as provider
     where s.name = 'provider_names' and provider.value = case when vendor in ('google', 'gemini') then 'gcp.gemini'
       when vendor = 'ollama' then 'openai-compatible' else vendor end),
    case when vendor = 'openai' then 'provider_a' when vendor = 'anthropic' then 'provider_b'
      when vendor in ('google', 'gemini') then 'provider_c' end)
$$;
grant execute on function private.find_framework_of(text) to authenticated, sb_service, service_role;

-- `openai/gpt-5.4-mini` is a vendor and its model, unless the framework itself offers a model of this name.
create or replace function private.resolve_model(inout framework text, inout model text)
language plpgsql stable
as $$
declare
  named text := private.find_framework_of(pg_catalog.split_part(model, '/', 1));
begin
  if named is not null and model like '_%/_%' and not exists (
       select 1 from public.models m
       where m.framework = resolve_model.framework and (m.id = resolve_model.model or m.is_list_open)) then
    framework := named;
    model := pg_catalog.substr(model, pg_catalog.strpos(model, '/') + 1);
  end if;
end
$$;
grant execute on function private.resolve_model(text, text) to authenticated, sb_service, service_role;

create or replace function private.prepare_agent() returns trigger language plpgsql
as $$
begin
  new.name := private.trim_whitespace(new.name);
  new.model := nullif(new.model, '');
  if new.model like '%/%' and new.model is distinct from old.model then
    select r.framework, r.model into new.framework, new.model from private.resolve_model(new.framework, new.model) r;
  end if;
  -- Not with every change of the status. A nested array is left for the check of the table.
  if new.starter_questions <> '{}' and new.starter_questions is distinct from old.starter_questions
     and array_ndims(new.starter_questions) = 1 then
    new.starter_questions := array(select private.trim_whitespace(q.text)
      from unnest(new.starter_questions) with ordinality as q (text, place) order by q.place);
  end if;
  if tg_op = 'INSERT' then
    if current_user in ('anon', 'authenticated', 'api_key', 'service_role') then
      new.created_at := now();
      new.updated_at := now();
      -- An upsert of an existing agent also fires this trigger, and may write the status.
      if new.status <> 'idle' and not exists (select 1 from public.agents a where a.id = new.id) then
        new.status := 'idle';
      end if;
    end if;
    new.status_changed_at := now();
    return new;
  end if;
  new.status_changed_at := case when new.status is distinct from old.status then now() else old.status_changed_at end;
  -- The service login changes the status and keeps updated_at; an owner's PATCH changes it.
  if current_user in ('anon', 'authenticated', 'api_key', 'service_role') then
    new.created_at := old.created_at;
    new.updated_at := now();
  end if;
  return new;
end
$$;

-- Runs after the row's checks, so that an unknown framework is reported as such. Checks only new pairs of framework and
-- model: after a list of models has shrunk, an owner can still rename an agent. A framework without a list accepts any
-- model.
create or replace function private.check_agent_model() returns trigger language plpgsql
as $$
declare
  offered text[] := array(select m.id from public.models m where m.framework = new.framework order by m.position, m.id);
begin
  if pg_catalog.cardinality(offered) > 0 and not new.model = any (offered)
     and not exists (select 1 from public.models m where m.framework = new.framework and m.is_list_open) then
    raise exception 'model % is not offered by %', new.model, new.framework
      using errcode = 'check_violation', schema = 'public', table = 'agents', column = 'model',
            constraint = 'agents_model_offered', hint = 'It offers: ' || pg_catalog.array_to_string(offered, ', '),
            detail = pg_catalog.json_build_object('framework', new.framework, 'model', new.model)::text;
  end if;
  return null;
end
$$;

-- The counter costs the same whatever the user owns, and its row lock lets only one of two concurrent inserts take the
-- last place. Counters are locked in the order of their users, so that statements for several users cannot deadlock.
create or replace function private.enforce_agent_limit() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  allowed integer := (select (value #>> '{}')::integer from private.settings where name = 'agent_limit_per_user');
  most integer;
begin
  with counted as (
    insert into private.agent_counters as counter (user_id, agents)
    select n.user_id, count(*) from new_rows n group by n.user_id order by n.user_id
    on conflict (user_id) do update set agents = counter.agents + excluded.agents
    returning counter.agents
  )
  select max(c.agents) into most from counted c;
  if allowed > 0 and most > allowed then
    raise exception 'a user may have at most % agents', allowed
      using errcode = 'check_violation', schema = 'public', table = 'agents', constraint = 'agents_limit_per_user';
  end if;
  return null;
end
$$;

create or replace function private.count_deleted_agents() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  with deleted as materialized (
    select c.user_id from private.agent_counters c where c.user_id in (select o.user_id from old_rows o)
    order by c.user_id for no key update
  )
  update private.agent_counters c set agents = c.agents - (select count(*) from old_rows o where o.user_id = c.user_id)
  where c.user_id in (select d.user_id from deleted d);
  return null;
end
$$;

create or replace function private.count_truncated_agents() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  delete from private.agent_counters;
  return null;
end
$$;

-- Without a subscribed webhook it skips the insert. Webhooks are looked up by their index for each row, as in the other
-- triggers that write events: a plan that was made before there were webhooks would read all of them later.
create or replace function private.emit_agent_created() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
begin
  if not exists (select 1 from new_rows n
                 where exists (select 1 from private.subscriptions w where w.user_id = n.user_id
                                 and 'agent.created' = any (w.events) offset 0)) then
    return null;
  end if;
  insert into private.events (type, data, audience)
  select 'agent.created',
    json_build_object('agent_id', n.id, 'name', n.name, 'framework', n.framework, 'model', n.model, 'role', n.role,
      'created_at', n.created_at, 'actor', private.get_actor()),
    array[n.user_id]
  from new_rows n
  where exists (select 1 from private.subscriptions w
                where w.user_id = n.user_id and 'agent.created' = any (w.events) offset 0);
  return null;
end
$$;

-- One statement may write for many runs. The context then has the details of each agent under `by_agent`, and
-- `acts_as_sender` says that the sender of each message is its actor.
create or replace function private.emit_agent_updated() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set jit = off
as $$
declare
  has_followers boolean;
  has_subscribers boolean;
begin
  -- Comparing rows with a long prompt is expensive, and most agents have no subscriber.
  select exists (select 1 from private.list_followed_topics()),
    exists (select 1 from new_rows n
            where exists (select 1 from private.subscriptions w where w.user_id = n.user_id
                            and w.events && array['agent.updated', 'agent.status_changed'] offset 0))
  into has_followers, has_subscribers;
  if has_followers then
    perform private.signal_agents(array_agg(n.id), array_agg(n.status))
    from new_rows n join old_rows o on o.id = n.id where n.status <> o.status;
  end if;
  if not has_subscribers then
    return null;
  end if;
  insert into private.events (type, data, audience)
  select 'agent.updated',
    json_build_object('agent_id', n.id, 'changed_fields', changes.fields,
      'agent', to_jsonb(n) - 'status_changed_at', 'actor', private.get_actor()),
    array[n.user_id]
  from new_rows n
  join old_rows o on o.id = n.id
  cross join lateral (select private.list_changed_fields(to_jsonb(o), to_jsonb(n), 'status', 'status_changed_at',
    'updated_at')) as changes (fields)
  where exists (select 1 from private.subscriptions w
                where w.user_id = n.user_id and 'agent.updated' = any (w.events) offset 0)
    and cardinality(changes.fields) > 0;

  insert into private.events (type, data, audience)
  select 'agent.status_changed',
    json_build_object('agent_id', n.id, 'status', n.status, 'previous_status', o.status,
      'reason', coalesce(change.context ->> 'reason', 'manual'),
      'run_id', change.context -> 'run_id', 'swarm_id', change.context -> 'swarm_id',
      'changed_at', n.status_changed_at),
    array[n.user_id]
  from new_rows n
  join old_rows o on o.id = n.id
  cross join lateral (
    select coalesce(private.get_change_context() -> 'by_agent' -> n.id::text, private.get_change_context()))
      as change (context)
  where n.status <> o.status
    and exists (select 1 from private.subscriptions w
                where w.user_id = n.user_id and 'agent.status_changed' = any (w.events) offset 0);
  return null;
end
$$;

create or replace function private.emit_agent_deleted() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  removed_from uuid[];
begin
  select coalesce(array_agg(sa.swarm_id), '{}') into removed_from from public.swarm_agents sa
    where sa.agent_id = old.id;
  -- Whoever asks an agent by a grant does not learn whose it was.
  insert into private.events (type, data, audience)
  select 'swarm.agent_removed',
    json_build_object('swarm_id', membership.swarm_id, 'agent_id', old.id, 'agent_name', old.name,
      'reason', 'agent_deleted', 'actor', case when auth.uid() = old.user_id and auth.uid() <> all (membership.audience)
        then json_build_object('type', 'user', 'id', null) else private.get_actor() end),
    membership.audience
  from (select s.swarm_id, private.list_swarm_audience(s.swarm_id) as audience
    from unnest(removed_from) as s (swarm_id)) as membership
  where private.is_subscribed('swarm.agent_removed', membership.audience);
  perform private.emit_event('agent.deleted',
    -- Not the conversations of others, which can be many.
    json_build_object('agent_id', old.id, 'name', old.name, 'removed_from_swarms', array(
        select m.swarm_id from public.swarm_members m
        where m.swarm_id = any (removed_from) and m.user_id = old.user_id and m.status = 'active'),
      'actor', private.get_actor()),
    array[old.user_id]);
  return old;
end
$$;
