import { Client } from "pg";
import { EmbeddedError, errorCode } from "./embedded-error.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const INVALID_PASSWORD = "28P01";

/** A URL for both our driver and libpq; the parameter takes precedence over the host. */
export function buildAdminUrl(o: {
  readonly password: string;
  readonly port: number;
  readonly socketDir: string | null;
}): string {
  const address = `postgres://postgres:${encodeURIComponent(o.password)}@`;
  return o.socketDir === null
    ? `${address}127.0.0.1:${o.port}/postgres`
    : `${address}localhost:${o.port}/postgres?host=${encodeURIComponent(o.socketDir)}`;
}

export async function verifyAccess(adminUrl: string, clusterDir: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  // Without a listener, a connection that breaks after the response would end the process.
  client.on("error", () => {});
  try {
    await client.connect();
  } catch (cause) {
    if (errorCode(cause) === INVALID_PASSWORD) {
      throw new EmbeddedError(
        `The database in ${clusterDir} was made with another master key and does not accept this one. ` +
          "Bring back the MASTER_KEY (or the key file in DATA_DIR) that was used when it was made.",
        { cause },
      );
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new EmbeddedError(`The embedded PostgreSQL runs, but does not accept a connection: ${reason}`, { cause });
  } finally {
    await client.end().catch(() => {});
  }
}
