-- How far each member has read a swarm. A row lives as long as its user and its swarm: one who leaves and comes back
-- continues where they were. The messages of a swarm are numbered without gaps, so the number of unread ones is a
-- difference, and nothing is counted.

create table public.read_positions (
  id uuid default private.new_id() constraint read_positions_pkey primary key,
  swarm_id uuid not null constraint read_positions_swarm_id_fkey references public.swarms on delete cascade,
  user_id uuid not null default auth.uid()
    constraint read_positions_user_id_fkey references auth.users on delete cascade,
  last_read_seq bigint not null constraint read_positions_last_read_seq_range check (last_read_seq >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint read_positions_swarm_id_user_id_key unique (swarm_id, user_id)
) with (fillfactor = 70);
create index read_positions_user_id_idx on public.read_positions (user_id);
-- Realtime checks the read access to a deleted row with the columns that the WAL has of it.
alter table public.read_positions replica identity full;
alter table public.read_positions enable row level security;
grant select, insert, update, delete on public.read_positions to authenticated, service_role, sb_service;

-- The publication is the operator's as well: it may be gone, or have the table already.
do $do$
begin
  if exists (
    select 1 from pg_catalog.pg_publication p
    where p.pubname = 'swarmbase' and not p.puballtables and not exists (
      select 1 from pg_catalog.pg_publication_rel r
      where r.prpubid = p.oid and r.prrelid = 'public.read_positions'::regclass))
  then
    alter publication swarmbase add table public.read_positions;
  end if;
end
$do$;

-- after functions

create policy read_positions_select on public.read_positions for select to authenticated
  using (user_id = (select auth.uid()));
create policy read_positions_insert on public.read_positions for insert to authenticated
  with check (user_id = (select auth.uid()) and swarm_id = any (array(select private.my_swarm_ids())));
create policy read_positions_update on public.read_positions for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()) and swarm_id = any (array(select private.my_swarm_ids())));
create policy read_positions_delete on public.read_positions for delete to authenticated
  using (user_id = (select auth.uid()));
create policy read_positions_service on public.read_positions to service_role, sb_service
  using (true) with check (true);

create trigger read_positions_a_require before insert on public.read_positions for each row
  when (new.swarm_id is null) execute function private.require_columns('swarm_id');
create trigger read_positions_advance before update on public.read_positions for each row
  when (new.last_read_seq < old.last_read_seq) execute function private.keep_last_read_seq();
create trigger read_positions_stamp before insert or update on public.read_positions for each row
  when (current_user in ('anon', 'authenticated', 'service_role')) execute function private.stamp_created_and_updated();
create trigger read_positions_freeze before update on public.read_positions for each row
  when ((new.id, new.swarm_id) is distinct from (old.id, old.swarm_id))
  execute function private.reject_change('id', 'swarm_id');
create trigger read_positions_keep_owner before update on public.read_positions for each row
  when (new.user_id is distinct from old.user_id) execute function private.reject_transfer('user_id');

select private.sync_feed_publication();
