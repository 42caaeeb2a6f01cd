/** A table; `*` stands for every schema or table. */
export function tableKey(schema: string, table: string): string {
  return `${schema}\0${table}`;
}

/** All keys that stand for a table. */
export function tableKeys(schema: string, table: string): string[] {
  return [tableKey(schema, table), tableKey(schema, "*"), tableKey("*", table), tableKey("*", "*")];
}
