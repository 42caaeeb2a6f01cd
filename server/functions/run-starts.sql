-- Runs that extensions start for users, in the transaction of the extension. Each key of an extension starts one run.

-- Waits for a transaction that starts a run with the same key. Returns the run that the key has started, or with which
-- rights the user asks now: the API key for which the extension acts, if any. Null where nobody may ask: the account is
-- gone or banned, or the key was revoked or has expired.
create or replace function private.open_run_start(extension text, key text, user_id uuid, api_key_id uuid)
returns jsonb language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  started jsonb;
begin
  perform pg_advisory_xact_lock(hashtextextended(concat(open_run_start.extension, ' ', open_run_start.key), 54));
  select jsonb_build_object('run_id', r.id, 'swarm_id', r.swarm_id) into started
  from private.run_starts s join public.runs r on r.id = s.run_id
  where s.extension = open_run_start.extension and s.key = open_run_start.key;
  if found then
    return started;
  end if;
  return (
    select jsonb_build_object('api_key', case when k.id is not null
      then jsonb_build_object('id', k.id, 'scopes', k.scopes, 'resources', k.resources) end)
    from auth.users u
    left join public.api_keys k on k.id = open_run_start.api_key_id and k.user_id = u.id
    left join auth.sessions held on held.id = k.id and (held.not_after is null or held.not_after > now())
    where u.id = open_run_start.user_id and u.deleted_at is null
      and (u.banned_until is null or u.banned_until <= now())
      and (open_run_start.api_key_id is null or held.id is not null));
end
$$;
grant execute on function private.open_run_start(text, text, uuid, uuid) to sb_service;

-- Records that a key has started a run, and returns the swarm of the run.
create or replace function private.record_run_start(extension text, key text, run_id uuid) returns uuid
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.run_starts (extension, key, run_id)
  values (record_run_start.extension, record_run_start.key, record_run_start.run_id);
  return (select r.swarm_id from public.runs r where r.id = record_run_start.run_id);
end
$$;
grant execute on function private.record_run_start(text, text, uuid) to sb_service;

-- Records that the message of a run has data of an outside sender, before the run starts.
create or replace function private.mark_outside_sender(run_id uuid, sender text, allowed_tools text[]) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.outside_senders as o (swarm_id, sender, allowed_tools)
  select r.swarm_id, mark_outside_sender.sender, mark_outside_sender.allowed_tools
  from public.runs r where r.id = mark_outside_sender.run_id
  on conflict on constraint outside_senders_pkey do update set allowed_tools = excluded.allowed_tools
  where o.allowed_tools <> excluded.allowed_tools;
end
$$;
grant execute on function private.mark_outside_sender(uuid, text, text[]) to sb_service;

-- Wakes the workers of an extension on all nodes once the transaction is committed. Shares the channel of runs, because
-- each channel is a connection of each node.
create or replace function private.wake_extension(name text) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_notify('swarmbase_runs', 'extension:' || wake_extension.name);
end
$$;
grant execute on function private.wake_extension(text) to sb_service;

-- The arguments are the name of the extension, and the member of `cause` that names the row which has started the run.
create or replace function private.note_ended_run() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into private.ended_extension_runs (extension, run_id, source_id)
  values (tg_argv[0], old.id, (old.cause ->> tg_argv[1])::uuid)
  on conflict on constraint ended_extension_runs_pkey do nothing;
  perform private.wake_extension(tg_argv[0]);
  return null;
end
$$;

-- Gives the next runs of an extension that have ended to `settle_run` of its schema, which returns false when another
-- transaction holds a row. `last`: the last run that was looked at; null: there are no more.
create or replace function private.settle_extension_runs(extension text, after uuid, max_runs integer,
  out last uuid, out is_complete boolean)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  ended record;
  is_settled boolean;
begin
  is_complete := true;
  for ended in
    select e.run_id, e.source_id from private.ended_extension_runs e
    where e.extension = settle_extension_runs.extension
      and e.run_id > coalesce(after, '00000000-0000-0000-0000-000000000000')
    order by e.run_id limit max_runs
  loop
    execute format('select %I.settle_run($1, $2)', 'ext_' || extension)
      into is_settled using ended.run_id, ended.source_id;
    if is_settled then
      delete from private.ended_extension_runs e
      where e.extension = settle_extension_runs.extension and e.run_id = ended.run_id;
    end if;
    is_complete := is_complete and is_settled;
    last := ended.run_id;
  end loop;
end
$$;
grant execute on function private.settle_extension_runs(text, uuid, integer) to sb_service;

-- The argument is the name of the extension.
create or replace function private.wake_extension_of_row() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform private.wake_extension(tg_argv[0]);
  return null;
end
$$;
