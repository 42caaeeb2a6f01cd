-- Realtime: topics, and the messages that the database sends to them.

-- The topic that a policy is evaluated for.
create or replace function realtime.topic() returns text language sql stable parallel safe
as $$ select nullif(pg_catalog.current_setting('realtime.topic', true), '') $$;
grant execute on function realtime.topic() to anon, authenticated, sb_service, service_role;

-- The private channel `swarm:<id>` is for the members of that swarm: all of them see presence and receive broadcasts,
-- and those who may write messages may send broadcasts.
create or replace function private.my_swarm_topics() returns setof text
language sql stable rows 20 set search_path = pg_catalog, pg_temp
as $$ select 'swarm:' || mine.id from private.my_swarm_ids() as mine (id) $$;
grant execute on function private.my_swarm_topics() to authenticated, sb_service, service_role;

create or replace function private.my_writable_swarm_topics() returns setof text
language sql stable rows 20 set search_path = pg_catalog, pg_temp
as $$ select 'swarm:' || mine.id from private.my_writable_swarm_ids() as mine (id) $$;
grant execute on function private.my_writable_swarm_topics() to authenticated, sb_service, service_role;

-- The private channels of signals: `webhook:<id>` for the owner of the webhook, `swarm-agents:<id>` for the members of
-- the swarm.
create or replace function private.my_signal_topics() returns setof text
language sql stable rows 40 set search_path = pg_catalog, pg_temp
as $$
  select 'webhook:' || w.id from public.webhooks w where w.user_id = (select auth.uid())
  union all
  select 'swarm-agents:' || mine.id from private.my_swarm_ids() as mine (id)
$$;
grant execute on function private.my_signal_topics() to authenticated, sb_service, service_role;

-- The topics that somebody follows. PostgreSQL puts it into the statement that uses it.
create or replace function private.list_followed_topics() returns setof text language sql stable
as $$ select f.topic from private.followed_topics f where f.lease_until > pg_catalog.now() $$;
grant execute on function private.list_followed_topics() to sb_service;

-- Returns whether anybody follows a signal. Volatile, so that a transaction which has written sees what was committed
-- until now; what it misses, nodes make up for when it has ended.
create or replace function private.has_followers() returns boolean language plpgsql volatile
as $$ begin return exists (select 1 from private.list_followed_topics()); end $$;
grant execute on function private.has_followers() to sb_service;

-- Sends one signal per followed topic, when the transaction commits. An item without content stands for all items.
create or replace function private.send_signals(topics text[], items jsonb[]) returns boolean
language plpgsql volatile
as $$
begin
  perform pg_catalog.pg_logical_emit_message(true, 'swarmbase.signal',
    pg_catalog.json_build_object('topic', s.topic, 'items', s.items)::text)
  from (select given.topic, pg_catalog.json_agg(given.item) as items
        from unnest(topics, items) as given (topic, item)
        group by given.topic) as s
  where exists (select 1 from private.list_followed_topics() as f (topic) where f.topic = s.topic);
  return true;
end
$$;
grant execute on function private.send_signals(text[], jsonb[]) to sb_service;

-- Signals changed deliveries. Call only if anybody follows. Deliveries that are null stand for any of the webhook.
create or replace function private.signal_deliveries(webhook_ids uuid[], delivery_ids uuid[]) returns boolean
language sql volatile
as $$
  select private.send_signals(pg_catalog.array_agg('webhook:' || d.webhook_id),
    pg_catalog.array_agg(pg_catalog.to_jsonb(d.delivery_id)))
  from unnest(webhook_ids, delivery_ids) as d (webhook_id, delivery_id)
$$;
grant execute on function private.signal_deliveries(uuid[], uuid[]) to sb_service;

-- Signals changed statuses to the swarms of the agents that their owners are members of: whoever asks an agent by a
-- grant must not learn when others do. Call only if anybody follows.
create or replace function private.signal_agents(agent_ids uuid[], statuses text[]) returns boolean
language sql volatile
as $$
  select private.send_signals(pg_catalog.array_agg('swarm-agents:' || sa.swarm_id),
    pg_catalog.array_agg(pg_catalog.jsonb_build_object('id', a.id, 'status', a.status)))
  from unnest(agent_ids, statuses) as a (id, status)
  join public.agents owned on owned.id = a.id
  join public.swarm_agents sa on sa.agent_id = a.id
  join public.swarm_members m on m.swarm_id = sa.swarm_id and m.user_id = owned.user_id and m.status = 'active'
$$;
grant execute on function private.signal_agents(uuid[], text[]) to sb_service;

-- Evaluates the policies of realtime.messages for many principals and topics in one statement, with probe rows that the
-- caller has to roll back. `writes` has the extensions to test for sending, separated by commas. An error of a policy
-- affects only its own check. The role of the transaction must be the service role, and is another one afterwards.
create or replace function private.check_topic_access(
  roles text[], claims text[], subjects text[], topics text[], writes text[]
) returns table (readable text, writable text, failure text)
language plpgsql
as $$
declare
  probes jsonb;
  given record;
  tested text;
begin
  with inserted as (
    insert into realtime.messages (topic, extension, event, private)
    select distinct named.topic, kind.extension, 'probe', true
    from pg_catalog.unnest(topics) as named (topic), (values ('broadcast'), ('presence')) as kind (extension)
    returning id, topic
  )
  select pg_catalog.jsonb_object_agg(per_topic.topic, per_topic.ids) into probes
  from (select i.topic, pg_catalog.jsonb_agg(i.id) as ids from inserted i group by i.topic) per_topic;

  for given in
    select * from rows from (
      pg_catalog.unnest(roles), pg_catalog.unnest(claims), pg_catalog.unnest(subjects),
      pg_catalog.unnest(topics), pg_catalog.unnest(writes)) as g (role, claims, subject, topic, writes)
  loop
    readable := ''; writable := ''; failure := null;
    begin
      perform pg_catalog.set_config('role', given.role, true),
        pg_catalog.set_config('request.jwt.claims', given.claims, true),
        pg_catalog.set_config('request.jwt.claim.sub', given.subject, true),
        pg_catalog.set_config('realtime.topic', given.topic, true);
      readable := coalesce((
        select pg_catalog.string_agg(m.extension, ',') from realtime.messages m
        where m.id = any (array(
          select probe.id::uuid from pg_catalog.jsonb_array_elements_text(probes -> given.topic) as probe (id)))), '');
      foreach tested in array pg_catalog.string_to_array(given.writes, ',') loop
        begin
          insert into realtime.messages (topic, extension, event, private) values (given.topic, tested, 'probe', true);
          writable := writable || ',' || tested;
        exception when insufficient_privilege then null;
        end;
      end loop;
    exception
      when insufficient_privilege then null;
      when others then failure := sqlstate || ' ' || sqlerrm;
    end;
    return next;
  end loop;
end
$$;
grant execute on function private.check_topic_access(text[], text[], text[], text[], text[])
  to sb_service, service_role;

-- Makes all nodes check who may use the private channels of a topic, when the transaction commits.
create or replace function realtime.recheck(topic text) returns void
language plpgsql
as $$
begin
  if coalesce(topic, '') = '' then
    raise exception 'a topic is needed' using errcode = 'invalid_parameter_value';
  end if;
  perform pg_catalog.pg_logical_emit_message(true, 'realtime.recheck', topic);
end
$$;
grant execute on function realtime.recheck(text) to sb_service, service_role;

-- Written to the WAL, so nodes receive it when the transaction commits, or never.
create or replace function private.send_realtime(
  topic text, event text, private boolean, payload jsonb, binary_payload bytea
) returns void
language plpgsql
as $$
declare
  id uuid := private.new_id();
begin
  if coalesce(topic, '') = '' or coalesce(event, '') = '' then
    raise exception 'a message needs a topic and an event' using errcode = 'invalid_parameter_value';
  end if;
  if send_realtime.private then
    insert into realtime.messages (id, topic, extension, event, payload, binary_payload, private)
      values (id, topic, 'broadcast', event, payload, binary_payload, true);
    -- Each insert also deletes a few expired rows.
    delete from realtime.messages m where m.id in (
      select o.id from realtime.messages o where o.inserted_at < pg_catalog.now() - interval '3 days'
      order by o.inserted_at limit 10 for update skip locked);
  end if;
  perform pg_catalog.pg_logical_emit_message(true, 'realtime.send',
    pg_catalog.jsonb_build_object('id', id, 'topic', topic, 'event', event,
    'private', send_realtime.private, 'payload', payload,
    'binary', pg_catalog.translate(pg_catalog.encode(binary_payload, 'base64'), E'\n', ''))::text);
end
$$;

create or replace function realtime.send(payload jsonb, event text, topic text, private boolean default true)
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$ select private.send_realtime(topic, event, coalesce(private, true), payload, null) $$;
grant execute on function realtime.send(jsonb, text, text, boolean) to anon, authenticated, sb_service, service_role;

create or replace function realtime.send_binary(
  payload bytea, event text, topic text, private boolean default true
) returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$ select private.send_realtime(topic, event, coalesce(private, true), null, payload) $$;
grant execute on function realtime.send_binary(bytea, text, text, boolean)
  to anon, authenticated, sb_service, service_role;

create or replace function realtime.broadcast_changes(topic_name text, event_name text, operation text, table_name text,
  table_schema text, new record, old record, level text default 'ROW') returns void language plpgsql
as $$
begin
  if level = 'STATEMENT' then
    raise exception 'broadcast_changes is for triggers on rows' using errcode = 'feature_not_supported';
  end if;
  perform realtime.send(pg_catalog.jsonb_build_object('operation', operation, 'schema', table_schema,
    'table', table_name,
    'record', pg_catalog.to_jsonb(new), 'old_record', pg_catalog.to_jsonb(old)), event_name, topic_name);
end
$$;
grant execute on function realtime.broadcast_changes(text, text, text, text, text, record, record, text)
  to anon, authenticated, sb_service, service_role;

-- Returns the tables whose changes clients may subscribe to, with the kinds of changes: those of the publications
-- swarmbase and supabase_realtime, in whole rows, whatever column lists and row filters they have. The schemas of the
-- service are never published, nor are the tables of the webhook queue: every node decodes all published changes.
create or replace function private.get_published_tables()
returns table (relid oid, inserts boolean, updates boolean, deletes boolean)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with sources as (
    select p.oid, p.puballtables, p.pubinsert, p.pubupdate, p.pubdelete
    from pg_publication p where p.pubname in ('swarmbase', 'supabase_realtime')
  ), listed as (
    select r.prrelid as relid, s.pubinsert, s.pubupdate, s.pubdelete
    from sources s join pg_publication_rel r on r.prpubid = s.oid
    union all
    select c.oid, s.pubinsert, s.pubupdate, s.pubdelete
    from sources s join pg_publication_namespace n on n.pnpubid = s.oid join pg_class c on c.relnamespace = n.pnnspid
    union all
    select c.oid, s.pubinsert, s.pubupdate, s.pubdelete from sources s join pg_class c on s.puballtables
  )
  select l.relid, bool_or(l.pubinsert), bool_or(l.pubupdate), bool_or(l.pubdelete)
  from listed l
  join pg_class c on c.oid = l.relid
  join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and c.relpersistence = 'p' and n.nspname !~ '^pg_'
    and n.nspname not in ('information_schema', 'auth', 'partitions', 'private', 'realtime')
    and (n.nspname <> 'public' or c.relname not in ('webhook_deliveries', 'webhook_delivery_attempts'))
  group by l.relid
$$;
grant execute on function private.get_published_tables() to sb_service;

-- Returns the statements that make swarmbase_feed the union of the published tables and of what nodes need to know who
-- has access. Of accounts and sessions it has only some columns, without password hashes. Leaves out tables that the
-- owner of the schema may not publish, and tables without a replica identity of which only inserts are published:
-- PostgreSQL would reject their updates.
create or replace function private.plan_feed_publication() returns setof text
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with feed as (
    select p.oid, p.pubinsert and p.pubupdate and p.pubdelete and p.pubtruncate and p.pubviaroot
      and coalesce(to_jsonb(p) ->> 'pubgencols' = 's', true) as is_whole
    from pg_publication p where p.pubname = 'swarmbase_feed'
  ), options (list) as (
    select 'publish = ''insert, update, delete, truncate'', publish_via_partition_root = true'
      || case when current_setting('server_version_num')::int >= 180000
           then ', publish_generated_columns = stored' else '' end
  ), access (relid, columns) as (
    values ('public.swarm_members'::regclass::oid, ''), ('public.agents'::regclass, ''),
      ('private.hidden_swarms'::regclass, ' (swarm_id)'), ('auth.sessions'::regclass, ' (id, suspended_until)'),
      ('auth.users'::regclass, ' (id, banned_until, deleted_at)')
  ), wanted as (
    select a.relid, a.columns from access a
    union all
    select p.relid, ''
    from private.get_published_tables() p
    join pg_class c on c.oid = p.relid
    where p.relid not in (select a.relid from access a)
      and pg_has_role(c.relowner, 'USAGE')
      and (p.updates or p.deletes or c.relreplident = 'f' or exists (
        select 1 from pg_index i
        where i.indrelid = c.oid
          and case c.relreplident when 'd' then i.indisprimary when 'i' then i.indisreplident else false end))
  ), present as (
    select r.prrelid as relid, r.prqual is null and (r.prattrs is null) = (coalesce(w.columns, '') = '')
      and w.relid is not null as is_kept
    from feed f join pg_publication_rel r on r.prpubid = f.oid left join wanted w on w.relid = r.prrelid
  )
  select format('create publication swarmbase_feed with (%s)', o.list)
  from options o where not exists (select 1 from feed)
  union all
  select format('alter publication swarmbase_feed set (%s)', o.list) from feed f, options o where not f.is_whole
  union all
  select format('alter publication swarmbase_feed drop table only %s', p.relid::regclass)
  from present p where not p.is_kept
  union all
  select format('alter publication swarmbase_feed add table only %s%s', w.relid::regclass, w.columns)
  from wanted w where not exists (select 1 from present p where p.relid = w.relid and p.is_kept)
$$;

-- Keeps swarmbase_feed current. Nodes call it, because only a superuser can create an event trigger. Returns why a
-- statement failed, for example because its table is locked; the next call tries it again. Waits for a lock for less
-- than deadlock_timeout, so that a transaction of the owner is never the victim of a deadlock.
create or replace function private.sync_feed_publication() returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '500ms'
as $$
declare
  statement text;
  failures text;
begin
  if not exists (select 1 from private.plan_feed_publication()) then
    return null;
  end if;
  perform pg_advisory_xact_lock(7302911403);
  for statement in select * from private.plan_feed_publication() loop
    begin
      execute statement;
    exception when others then
      failures := concat_ws('; ', failures, statement || ': ' || sqlerrm);
    end;
  end loop;
  return failures;
end
$$;
grant execute on function private.sync_feed_publication() to sb_service;
