import { withClient } from "../connect-client.ts";
import { errorCode } from "../../crypto/index.ts";
import { EmbeddedError, messageOf } from "./embedded-error.ts";

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
  await withClient(adminUrl, async () => {}).catch((cause: unknown) => {
    const message =
      errorCode(cause) === INVALID_PASSWORD
        ? `The database in ${clusterDir} was created with another master key and does not accept this one. ` +
          "Restore the MASTER_KEY (or the key file in DATA_DIR) that it was created with."
        : `The embedded PostgreSQL runs, but does not accept a connection: ${messageOf(cause)}`;
    throw new EmbeddedError(message, { cause });
  });
}
