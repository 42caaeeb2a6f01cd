import type pg from "pg";
import type { AssignedTool } from "../tool-port.ts";

export type StoredTool = AssignedTool & { readonly visibility: string };

const SELECT = `
  select t.id, t.owner_id, t.name, t.description, t.kind, t.input_schema, t.config, t.requires_approval, t.timeout_ms,
         t.max_output_chars, t.max_retries, t.idempotent, t.visibility, '{}'::jsonb as configuration, null as approver,
         private.acts_for_starter(t.kind, t.config) as acts_for_starter, encode(s.secrets_wrapped, 'base64') as secrets_wrapped
  from public.tools t
  left join private.tool_secrets s on s.tool_id = t.id
  where t.id = $1`;

/** Returns the tool with an empty assignment. */
export async function selectTool(pool: pg.Pool, id: string): Promise<StoredTool | null> {
  const { rows } = await pool.query<StoredTool>(SELECT, [id]);
  return rows[0] ?? null;
}
