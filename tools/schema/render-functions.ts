import type { Ask } from "./ask.ts";
import { OWNER, type Schema } from "./schema.ts";

interface FunctionRow {
  readonly oid: string;
  readonly signature: string;
  readonly definition: string;
  readonly owner: string;
  readonly remark: string | null;
}

export async function renderFunctions(ask: Ask, schema: Schema): Promise<string[]> {
  const rows = await ask<FunctionRow>(
    `select oid::text, oid::regprocedure::text as signature, pg_get_functiondef(oid) as definition,
            pg_get_userbyid(proowner)::text as owner, quote_literal(obj_description(oid, 'pg_proc')) as remark
     from pg_proc where pronamespace = $1 and prokind in ('f', 'p')
     order by proname, pg_get_function_identity_arguments(oid)`,
    [schema.oid],
  );
  return rows.map(({ oid, signature, definition, owner, remark }) =>
    [
      `${definition.trimEnd()};`,
      ...(owner === OWNER ? [] : [`alter function ${signature} owner to ${owner};`]),
      ...(remark === null ? [] : [`comment on function ${signature} is ${remark};`]),
      ...(schema.grants.get(oid) ?? []),
    ].join("\n"),
  );
}
