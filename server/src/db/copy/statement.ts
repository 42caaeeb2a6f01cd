export interface Statement {
  /** What it makes, for people and for comparing two databases. */
  readonly key: string;
  readonly text: string;
}

export interface CopiedTable {
  /** Qualified and quoted. */
  readonly name: string;
  /** Quoted, without those that are computed. */
  readonly columns: readonly string[];
}

/** A condition that keeps out what PostgreSQL or an extension brings along itself. */
export function isOurs(oid: string, catalogue: string): string {
  return `${oid} >= 16384 and not exists (select from pg_depend x where x.classid = '${catalogue}'::regclass
    and x.objid = ${oid} and x.deptype = 'e')`;
}
