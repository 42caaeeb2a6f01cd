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
