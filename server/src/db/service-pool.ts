import pg from "pg";
import { derivePassword } from "../crypto/index.ts";
import { withClient } from "./connect-client.ts";
import { withRole } from "./connection.ts";
import { DatabaseClient } from "./hosts/database-client.ts";
import { HOOK_ROLE } from "./plan-roles.ts";
import { selectServerProperties } from "./sql/select-server-properties.ts";

const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 60_000;

/** One connection for the rare statements of a process that serves no requests. */
export function openServicePool(url: string, masterKey: string): pg.Pool {
  return openSmallPool(url, masterKey, { role: "sb_service", application_name: "swarmbase-primary", max: 1 });
}

/** For functions that the operator has written. There is no connection before the first call. */
export function openHookPool(url: string, masterKey: string): pg.Pool {
  return openSmallPool(url, masterKey, { role: HOOK_ROLE, application_name: "swarmbase-hooks", max: 5 });
}

interface SmallPool extends pg.PoolConfig {
  readonly role: string;
}

function openSmallPool(url: string, masterKey: string, { role, ...config }: SmallPool): pg.Pool {
  const pool = new pg.Pool({
    ...config,
    Client: DatabaseClient,
    connectionString: withRole(url, role, derivePassword(masterKey, role)),
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
