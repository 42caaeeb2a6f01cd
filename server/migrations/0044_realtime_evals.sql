-- Realtime: changes of evals. A deleted row has its owner, whom the policies need.

alter table public.eval_datasets replica identity using index eval_datasets_id_user_id_key;
alter table public.eval_cases replica identity using index eval_cases_id_user_id_key;
alter table public.eval_runs replica identity using index eval_runs_id_user_id_key;
alter table public.eval_results add constraint eval_results_id_user_id_key unique (id, user_id);
alter table public.eval_results replica identity using index eval_results_id_user_id_key;

-- The publication is the operator's as well: it may be gone, or have some of these tables already.
do $do$
declare
  missing regclass;
begin
  for missing in
    select t.relid
    from pg_catalog.unnest(array['public.eval_datasets', 'public.eval_cases', 'public.eval_runs',
      'public.eval_results']::regclass[]) as t (relid)
    join pg_catalog.pg_publication p on p.pubname = 'swarmbase' and not p.puballtables
    where not exists (
      select 1 from pg_catalog.pg_publication_rel r where r.prpubid = p.oid and r.prrelid = t.relid)
  loop
    execute pg_catalog.format('alter publication swarmbase add table %s', missing);
  end loop;
end
$do$;

-- after functions

select private.sync_feed_publication();
