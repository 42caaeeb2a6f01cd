-- Realtime: the publication of applications that come from Supabase, and one publication that nodes read.

-- Belongs to the owner of the schema, who may alter, drop and create it. A database may have it already.
do $do$
begin
  if not exists (select 1 from pg_catalog.pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
end
$do$;

-- A deleted event has the columns that its policy needs; one of them can be null, so no index can be the identity.
alter table public.run_events replica identity full;

-- The topics of signals that clients follow, by the node that has their sockets. Writers send a signal only for these.
-- Nodes renew their rows, so rows of a node that died expire. Unlogged, because they mean nothing after a restart.
create unlogged table private.followed_topics (
  topic text not null,
  node uuid not null,
  lease_until timestamptz not null,
  constraint followed_topics_pkey primary key (topic, node)
);
create index followed_topics_lease_until_idx on private.followed_topics (lease_until);
alter table private.followed_topics enable row level security;
grant select, insert, update, delete on private.followed_topics to sb_service;

-- after functions

create policy followed_topics_service on private.followed_topics to sb_service using (true) with check (true);

-- Nobody may send to these topics: their messages are signals of the service.
create policy messages_of_signals_select on realtime.messages for select to authenticated
  using (extension = 'broadcast' and topic = any (array(select private.my_signal_topics())));

-- Nodes read swarmbase_feed only. Nodes of the previous release read swarmbase and swarmbase_access, which stay for
-- them.
select private.sync_feed_publication();
