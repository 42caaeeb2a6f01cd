import pg from "pg";
import { derivePassword } from "../crypto/index.ts";
import { withClient } from "./connect-client.ts";
import { withRole } from "./connection.ts";
import { DatabaseClient } from "./hosts/database-client.ts";
import { selectServerProperties } from "./sql/select-server-properties.ts";

const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 60_000;

/** One connection for the rare statements of a process that serves no requests. */
export function openServicePool(url: string, masterKey: string): pg.Pool {
  const pool = new pg.Pool({
    Client: DatabaseClient,
    connectionString: withRole(url, "sb_service", derivePassword(masterKey, "sb_service")),
    application_name: "swarmbase-primary",
    max: 1,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  });
  // A connection that breaks while idle is replaced.
  pool.on("error", () => {});
  return pool;
}

/** The number of connections that the server permits, without those that it reserves. */
export async function findMaxConnections(adminUrl: string): Promise<number> {
  const { maxConnections } = await withClient(adminUrl, (client) => selectServerProperties(client));
  return maxConnections;
}
