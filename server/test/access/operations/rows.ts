/** What a caller tries. Without `check` it is done when a row is found or changed, with it when `check` then finds a row. */
interface Operation {
  readonly statement: string;
  readonly check?: string;
}

export type TableOperations = Readonly<Record<string, Operation>>;

export interface RowOperations {
  /** The condition that picks the subject row. */
  readonly where: string;
  /** Columns and values of a row that the caller makes in their own name. */
  readonly insert: string;
  readonly update: string;
  readonly more?: Readonly<Record<string, string | Operation>>;
}

/** The four operations that every table has, and those that a rule of its own needs. */
export function rows(table: string, { where, insert, update, more = {} }: RowOperations): TableOperations {
  const written: Record<string, string | Operation> = {
    select: `select 1 from ${table} where ${where}`,
    insert: `insert into ${table} ${insert}`,
    update: `update ${table} set ${update} where ${where}`,
    delete: `delete from ${table} where ${where}`,
    ...more,
  };
  return Object.fromEntries(
    Object.entries(written).map(([name, operation]) => [
      name,
      typeof operation === "string" ? { statement: operation } : operation,
    ]),
  );
}
