import type pg from "pg";

export interface NewTool {
  readonly id: string;
  readonly owner_id: string | null;
  readonly name: string;
  readonly description: string;
  readonly input_schema: unknown;
  readonly config: unknown;
  readonly visibility: string;
  readonly secret_names: readonly string[];
  /** The service role imports it. */
  readonly is_vouched: boolean;
}

/** A row as the REST interface returns it. */
export interface InsertedTool {
  readonly id: string;
  readonly name: string;
  readonly [column: string]: unknown;
}

// Concurrent imports would choose the same free name.
const LOCK = "select pg_advisory_xact_lock(hashtextextended('tools:' || coalesce($1::text, ''), 0))";
const NAMES = "select name from public.tools where owner_id is not distinct from $1";
const INSERT = `
  insert into public.tools (id, owner_id, name, description, category, kind, input_schema, config, visibility, secret_names,
    is_vouched)
  select n.id, n.owner_id, n.name, n.description, $2, $2, n.input_schema, n.config, n.visibility,
         array(select jsonb_array_elements_text(n.secret_names)), n.is_vouched
  from jsonb_to_recordset($1::jsonb)
    as n(id uuid, owner_id uuid, name text, description text, input_schema jsonb, config jsonb, visibility text, secret_names jsonb,
      is_vouched boolean)
  returning *`;

/** Blocks other imports for this owner until the transaction ends. */
export async function lockToolNames(client: pg.PoolClient, ownerId: string | null): Promise<Set<string>> {
  await client.query(LOCK, [ownerId]);
  const { rows } = await client.query<{ name: string }>(NAMES, [ownerId]);
  return new Set(rows.map(({ name }) => name));
}

/** The kind is the category, too. */
export async function insertTools(
  client: pg.PoolClient,
  kind: string,
  tools: readonly NewTool[],
): Promise<readonly InsertedTool[]> {
  const { rows } = await client.query<InsertedTool>(INSERT, [JSON.stringify(tools), kind]);
  return rows;
}
