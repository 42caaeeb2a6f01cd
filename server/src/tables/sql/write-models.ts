import type pg from "pg";

export interface ModelRow {
  readonly framework: string;
  readonly id: string;
  readonly is_default: boolean;
  readonly position: number;
}

/** Makes the list exactly this one, in one statement, and writes only what differs. */
export async function writeModels(client: pg.ClientBase, models: readonly ModelRow[]): Promise<void> {
  await client.query(
    `with given as (
       select g.framework, g.id, g.is_default, g.position
       from jsonb_to_recordset($1::jsonb) as g (framework text, id text, is_default boolean, position integer)
     ), gone as (
       delete from public.models m
       where not exists (select 1 from given g where g.framework = m.framework and g.id = m.id)
     )
     insert into public.models as stored (framework, id, is_default, position)
     select g.framework, g.id, g.is_default, g.position from given g
     on conflict (framework, id) do update set is_default = excluded.is_default, position = excluded.position
     where (stored.is_default, stored.position) is distinct from (excluded.is_default, excluded.position)`,
    [JSON.stringify(models)],
  );
}
