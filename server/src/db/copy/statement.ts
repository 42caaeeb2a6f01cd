import type { ClientBase } from "pg";

export interface Statement {
  /** Names the object, for messages and for the comparison of two databases. */
  readonly key: string;
  readonly text: string;
}

export interface CopiedTable {
  /** Qualified and quoted. */
  readonly name: string;
  /** Quoted, without generated columns. */
  readonly columns: readonly string[];
}

/** A condition that excludes objects of PostgreSQL and of extensions. */
export function isOurs(oid: string, catalogue: string): string {
  return `${oid} >= 16384 and not exists (select from pg_depend x where x.classid = '${catalogue}'::regclass
    and x.objid = ${oid} and x.deptype = 'e')`;
}

/** Runs queries that each return the key and the text of statements, and keeps their order. */
export async function selectKinds(client: ClientBase, kinds: readonly string[]): Promise<Statement[]> {
  const statements: Statement[] = [];
  for (const kind of kinds) {
    const { rows } = await client.query<Statement>(`select * from (${kind}) as found (key, text) order by key`);
    statements.push(...rows);
  }
  return statements;
}
