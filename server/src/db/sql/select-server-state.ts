import type { ClientBase } from "pg";
import { getOnlyRow } from "./get-only-row.ts";
import type { RestoredCopy } from "./restored-copy.ts";

export interface ServerState {
  readonly isStandby: boolean;
  /** The default of a transaction; always true on a standby. */
  readonly isReadOnly: boolean;
  readonly restoredCopy: RestoredCopy | null;
}

/** As the login of the service. In one statement, because it runs every few seconds. */
export async function selectServerState(client: ClientBase): Promise<ServerState> {
  const { rows } = await client.query<ServerState>(
    `select pg_catalog.pg_is_in_recovery() as "isStandby",
            pg_catalog.current_setting('transaction_read_only') = 'on' as "isReadOnly",
            (select value from private.settings where name = 'restored_copy') as "restoredCopy"`,
  );
  return getOnlyRow(rows);
}
