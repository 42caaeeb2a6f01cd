import type { ClientBase } from "pg";
import type { RestoredCopy } from "./restored-copy.ts";

export interface ServerState {
  readonly isStandby: boolean;
  /** What a transaction gets unless it asks for something else; always so on a standby. */
  readonly isReadOnly: boolean;
  readonly restoredCopy: RestoredCopy | null;
}

/** As the service's own login, in one statement: it is asked every few seconds. */
export async function selectServerState(client: ClientBase): Promise<ServerState> {
  const { rows } = await client.query<ServerState>(
    `select pg_catalog.pg_is_in_recovery() as "isStandby",
            pg_catalog.current_setting('transaction_read_only') = 'on' as "isReadOnly",
            (select value from private.settings where name = 'restored_copy') as "restoredCopy"`,
  );
  const [state] = rows;
  if (state === undefined) throw new Error("the server did not say in which state it is");
  return state;
}
