import type { ClientBase } from "pg";

export interface Writability {
  readonly isStandby: boolean;
  /** What a transaction gets unless it asks for something else; always so on a standby. */
  readonly isReadOnly: boolean;
}

export async function askWritability(client: ClientBase): Promise<Writability> {
  const { rows } = await client.query<Writability>(
    `select pg_catalog.pg_is_in_recovery() as "isStandby",
            pg_catalog.current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error("the server did not say whether it takes writes");
  return row;
}
