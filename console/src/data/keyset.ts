/** The keyset columns of a list that is ordered by time. */
export interface TimedRow {
  readonly id: string;
  readonly created_at: string;
}

/** A filter for `or`: the rows that follow this one in the order newest first. The id breaks ties. */
export function afterRow({ id, created_at }: TimedRow): string {
  return `created_at.lt."${created_at}",and(created_at.eq."${created_at}",id.lt.${id})`;
}

/** A filter for `or`: the rows with the text in at least one of the columns. */
export function containsText(columns: readonly string[], text: string): string {
  const pattern = `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`;
  const quoted = pattern.replace(/["\\]/g, String.raw`\$&`);
  return columns.map((column) => `${column}.ilike."${quoted}"`).join(",");
}
