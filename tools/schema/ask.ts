/** Runs one query on the catalogues. */
export type Ask = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

interface Connection {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

export function askOver(connection: Connection): Ask {
  return async <Row>(text: string, values: readonly unknown[] = []) =>
    (await connection.query(text, [...values])).rows as Row[];
}
