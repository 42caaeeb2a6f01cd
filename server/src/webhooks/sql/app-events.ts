import type pg from "pg";

/** Makes calls as the role of the transaction. Returns one row with their answers, as a JSON list. */
export const EMIT_EVENTS = "select to_json(private.emit_events($1, $2, $3))";

/** What became of a call. */
export type EmitAnswer =
  | { readonly ids: readonly string[] }
  | { readonly is_key_used: true }
  | { readonly message: string; readonly detail: string };

export interface StoredEventType {
  readonly name: string;
  readonly listed: boolean;
  readonly schema: Readonly<Record<string, unknown>> | null;
  readonly example: Readonly<Record<string, unknown>> | null;
}

/** The types of the app's own events with these names. */
export async function selectEventTypes(pool: pg.Pool, names: readonly string[]): Promise<StoredEventType[]> {
  const { rows } = await pool.query<StoredEventType>({
    name: "webhooks-event-types",
    text: "select name, listed, schema, example from public.event_types where name = any ($1)",
    values: [names],
  });
  return rows;
}
