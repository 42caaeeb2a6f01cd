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
