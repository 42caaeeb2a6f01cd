-- The private channel `swarm:<id>` is for the members of that swarm: all of them see who is there and hear what is said, and who may
-- write messages may broadcast.
create function private.my_swarm_topics() returns setof text
language sql stable rows 20 set search_path = pg_catalog, pg_temp
as $$ select 'swarm:' || mine.id from private.my_swarm_ids() as mine (id) $$;

create function private.my_writable_swarm_topics() returns setof text
language sql stable rows 20 set search_path = pg_catalog, pg_temp
as $$ select 'swarm:' || mine.id from private.my_writable_swarm_ids() as mine (id) $$;

revoke execute on function private.my_swarm_topics(), private.my_writable_swarm_topics() from public;
grant execute on function private.my_swarm_topics(), private.my_writable_swarm_topics()
  to authenticated, sb_service, service_role;

create policy messages_of_swarm_select on realtime.messages for select to authenticated
  using (topic = any (array(select private.my_swarm_topics())));
create policy messages_of_swarm_insert on realtime.messages for insert to authenticated
  with check ((extension = 'presence' and topic = any (array(select private.my_swarm_topics())))
    or topic = any (array(select private.my_writable_swarm_topics())));
