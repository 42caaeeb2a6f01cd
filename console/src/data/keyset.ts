/** What a list that is ordered by time, newest first, needs to know of its last row. */
export interface TimedRow {
  readonly id: string;
  readonly created_at: string;
}

/** For `or`: the rows after this one, newest first. Of two that were made at the same time the id decides. */
export function afterRow({ id, created_at }: TimedRow): string {
  return `created_at.lt."${created_at}",and(created_at.eq."${created_at}",id.lt.${id})`;
}

/** For `or`: the rows in one of whose columns the text stands. */
export function holdsText(columns: readonly string[], text: string): string {
  const pattern = `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`;
  const quoted = pattern.replace(/["\\]/g, String.raw`\$&`);
  return columns.map((column) => `${column}.ilike."${quoted}"`).join(",");
}
