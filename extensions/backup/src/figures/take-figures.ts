import { randomBytes } from "node:crypto";
import pg from "pg";
import type { ExtensionServer } from "swarmbase/extension";
import type { Figures } from "../archive/archive.ts";
import { closeOnAbort } from "./close-on-abort.ts";
import { readTables, selectPlace } from "./sql/read-tables.ts";

const CONNECT_TIMEOUT_MS = 10_000;
/** The slot waits for all transactions that are running. */
const SLOT_TIMEOUT = "60s";

/**
 * Counts the rows of all tables at a position of the WAL, while others write. The snapshot that a logical slot exports has exactly
 * the transactions whose commit record is before the position of the slot, so a recovery to that position has the same rows.
 */
export async function takeFigures(
  { replicationUrl, adminUrl }: Pick<ExtensionServer, "replicationUrl" | "adminUrl">,
  signal: AbortSignal,
): Promise<Figures> {
  const config: pg.ClientConfig & { replication: string } = {
    connectionString: replicationUrl,
    application_name: "swarmbase-backup",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    options: `-c statement_timeout=${SLOT_TIMEOUT} -c wal_sender_timeout=0`,
    replication: "database",
  };
  const slotClient = new pg.Client(config);
  const reader = new pg.Client({
    connectionString: adminUrl,
    application_name: "swarmbase-backup",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  const release = closeOnAbort([slotClient, reader], signal);
  try {
    for (const client of [slotClient, reader]) await client.connect();
    const name = `swarmbase_figures_${randomBytes(6).toString("hex")}`;
    const { rows } = await slotClient.query<{ consistent_point: string; snapshot_name: string }>(
      `CREATE_REPLICATION_SLOT ${name} TEMPORARY LOGICAL pgoutput (SNAPSHOT 'export')`,
    );
    const [slot] = rows;
    if (slot === undefined) throw new Error("the database exported no snapshot");
    await reader.query("begin isolation level repeatable read read only");
    // The snapshot lives as long as the other connection runs no further command.
    await reader.query(`set transaction snapshot ${pg.escapeLiteral(slot.snapshot_name)}`);
    const tables = await readTables(reader);
    const { database, at } = await selectPlace(reader);
    await reader.query("commit");
    return { lsn: slot.consistent_point, takenAt: at.toISOString(), database, tables };
  } finally {
    release();
    await Promise.all([slotClient, reader].map((client) => client.end().catch(() => {})));
  }
}
