-- Summaries of conversations, which agents read instead of the oldest messages.

-- The latest summary that an agent has of a conversation, or of its messages before a number; null without one.
create or replace function private.read_summary(swarm_id uuid, agent_id uuid, before_seq bigint default null)
returns jsonb language plpgsql stable
as $$
begin
  return (select jsonb_build_object('up_to_seq', s.up_to_seq, 'text', s.text) from public.conversation_summaries s
    where s.swarm_id = read_summary.swarm_id and s.agent_id = read_summary.agent_id
      and (before_seq is null or s.up_to_seq < before_seq)
    order by s.up_to_seq desc limit 1);
end
$$;

-- The messages that a summary is made from: those after a number up to another one, at most the latest thousand with a
-- megabyte of text, oldest first.
create or replace function private.list_summarised_messages(swarm_id uuid, after_seq bigint, up_to_seq bigint)
returns setof public.messages language sql stable
as $$
  select (n.message).* from (
    select m as message, sum(coalesce(octet_length(m.content), 0)) over (order by m.seq desc) as bytes
    from (select * from public.messages m
          where m.swarm_id = list_summarised_messages.swarm_id and m.seq > after_seq
            and m.seq <= list_summarised_messages.up_to_seq
          order by m.seq desc limit 1000) as m) as n
  where n.bytes <= 1000000 order by (n.message).seq
$$;
grant execute on function private.list_summarised_messages(uuid, bigint, bigint) to sb_service;

-- Says whether these messages are still those that a summary was made from.
create or replace function private.hash_summarised_messages(swarm_id uuid, after_seq bigint, up_to_seq bigint)
returns text language sql stable
as $$
  select encode(sha256(convert_to(string_agg(m.seq || ' ' || coalesce(m.content, ''), E'\n' order by m.seq), 'UTF8')),
    'hex')
  from private.list_summarised_messages(hash_summarised_messages.swarm_id, after_seq,
    hash_summarised_messages.up_to_seq) as m
$$;
grant execute on function private.hash_summarised_messages(uuid, bigint, bigint) to sb_service;

-- Stores the summary that a run has had written, for the holder of its lease. Returns `outdated` when a message has
-- changed since it was read, or the summary that this one extends was deleted: nothing is stored then. A transaction of
-- its own, because a change of a message waits for it.
create or replace function private.store_summary(call jsonb) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  run public.runs;
  after_seq constant bigint := call ->> 'after_seq';
  up_to_seq constant bigint := call ->> 'up_to_seq';
begin
  select r.* into run from public.runs r where r.id = (call ->> 'run_id')::uuid and r.status = 'running' for key share;
  perform 1 from private.run_leases l where l.run_id = run.id and l.fence = (call ->> 'fence')::bigint for share;
  if not found then
    return 'lost';
  end if;
  perform pg_advisory_xact_lock(hashtextextended(run.swarm_id::text, 43));
  if private.hash_summarised_messages(run.swarm_id, after_seq, up_to_seq) is distinct from call ->> 'hash'
      or not exists (select 1 from public.swarm_agents sa
        where sa.swarm_id = run.swarm_id and sa.agent_id = (call ->> 'agent_id')::uuid for key share)
      or after_seq > 0 and not exists (select 1 from public.conversation_summaries s
        where s.swarm_id = run.swarm_id and s.agent_id = (call ->> 'agent_id')::uuid
          and s.up_to_seq = after_seq) then
    return 'outdated';
  end if;
  insert into public.conversation_summaries as kept (swarm_id, agent_id, up_to_seq, text)
  values (run.swarm_id, (call ->> 'agent_id')::uuid, up_to_seq, call ->> 'text')
  on conflict on constraint conversation_summaries_pkey do update set text = excluded.text, created_at = now();
  -- Earlier ones serve after a message was edited or deleted, and recorded prompts name them.
  delete from public.conversation_summaries s
  where s.swarm_id = run.swarm_id and s.agent_id = (call ->> 'agent_id')::uuid and s.up_to_seq < (
    select k.up_to_seq from public.conversation_summaries k
    where k.swarm_id = s.swarm_id and k.agent_id = s.agent_id order by k.up_to_seq desc offset 9 limit 1);
  return 'stored';
end
$$;
grant execute on function private.store_summary(jsonb) to sb_service;
