import type { ClientBase } from "pg";

/** In `public` a developer may have functions of the same name. */
const OURS = "n.nspname || '.' || p.proname = any ($1) and n.nspname <> 'public'";

interface FunctionVersions {
  readonly name: string;
  readonly signatures: readonly string[];
}

export async function listFunctionVersions(client: ClientBase, names: readonly string[]): Promise<FunctionVersions[]> {
  const { rows } = await client.query<FunctionVersions>(
    `select n.nspname || '.' || p.proname as name, array_agg(p.oid::regprocedure::text order by p.oid::regprocedure::text) as signatures
     from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
     where ${OURS} group by 1 order by 1`,
    [names],
  );
  return rows;
}

/** Replacing a function keeps its grants; a file that is applied again grants anew, so a grant that it no longer has ends. */
export async function revokeFunctionGrants(client: ClientBase, names: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('revoke all on function %s from %s', p.oid::regprocedure,
       case granted.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(granted.grantee)) end) as statement
     from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
     cross join lateral aclexplode(p.proacl) as granted
     where ${OURS} and granted.grantee <> p.proowner group by p.oid, granted.grantee`,
    [names],
  );
  if (rows.length > 0) await client.query(rows.map(({ statement }) => statement).join(";\n"));
}
