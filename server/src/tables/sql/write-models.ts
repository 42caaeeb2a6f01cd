import type pg from "pg";

export interface ModelRow {
  readonly framework: string;
  readonly id: string;
  readonly is_default: boolean;
  readonly position: number;
  readonly context_window: number | null;
  readonly max_output_tokens: number | null;
  readonly price_input: number | null;
  readonly price_cached_input: number | null;
  readonly price_output: number | null;
  readonly supports: Readonly<Record<string, unknown>>;
  readonly is_simulated: boolean;
  readonly is_list_open: boolean;
  readonly is_default_framework: boolean;
}

/** Replaces the list in one statement, writing only differences. */
export async function writeModels(client: pg.ClientBase, models: readonly ModelRow[]): Promise<void> {
  await client.query(
    `with given as (
       select g.*
       from jsonb_to_recordset($1::jsonb) as g (
         framework text, id text, is_default boolean, position integer, context_window integer, max_output_tokens integer,
         price_input numeric, price_cached_input numeric, price_output numeric, supports jsonb, is_simulated boolean,
         is_list_open boolean, is_default_framework boolean)
     ), gone as (
       delete from public.models m
       where not exists (select 1 from given g where g.framework = m.framework and g.id = m.id)
     )
     insert into public.models as stored (
       framework, id, is_default, position, context_window, max_output_tokens,
       price_input, price_cached_input, price_output, supports, is_simulated, is_list_open, is_default_framework)
     select g.framework, g.id, g.is_default, g.position, g.context_window, g.max_output_tokens,
            g.price_input, g.price_cached_input, g.price_output, g.supports, g.is_simulated, g.is_list_open, g.is_default_framework
     from given g
     on conflict (framework, id) do update set
       is_default = excluded.is_default, position = excluded.position, context_window = excluded.context_window,
       max_output_tokens = excluded.max_output_tokens, price_input = excluded.price_input,
       price_cached_input = excluded.price_cached_input, price_output = excluded.price_output,
       supports = excluded.supports, is_simulated = excluded.is_simulated, is_list_open = excluded.is_list_open,
       is_default_framework = excluded.is_default_framework
     where stored is distinct from excluded`,
    [JSON.stringify(models)],
  );
}
