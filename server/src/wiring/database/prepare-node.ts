import type { FoundProviders } from "../../agents/index.ts";
import type { DatabaseServer } from "../../db/index.ts";
import type { TlsMaterial } from "../../http/index.ts";
import { loadCertificate } from "../certificate.ts";
import type { NodeContext } from "../node-context.ts";
import { timed } from "../start-times.ts";
import type { NodeServer } from "./open-node-server.ts";
import { prepareDatabase, type PreparedDatabase } from "./prepare-database.ts";

/** What a node needs before its services can be opened. Copies of it can be sent to another process, except `close` of the server. */
export interface PreparedNode {
  readonly masterKey: string;
  readonly server: DatabaseServer;
  readonly prepared: Pick<PreparedDatabase, "anonKey" | "serviceRoleKey" | "restoredCopy">;
  /** Null in proxy mode. */
  readonly tls: TlsMaterial | null;
  readonly found: FoundProviders;
}

/** Brings the schema up to date, and loads the certificate. */
export async function prepareNode(context: NodeContext, opened: NodeServer): Promise<PreparedNode> {
  const { settings, signal, startTimes } = context;
  const { masterKey, server } = opened;
  // The certificate does not depend on the database, so both are prepared at the same time.
  const tlsLoading =
    settings.tlsMode === "proxy" ? null : timed(startTimes, "certificate", () => loadCertificate(context));
  tlsLoading?.catch(() => {});
  const { anonKey, serviceRoleKey, restoredCopy, found } = await timed(startTimes, "migrations", () =>
    prepareDatabase({ ...context, ...opened }),
  );
  signal.throwIfAborted();
  return { masterKey, server, prepared: { anonKey, serviceRoleKey, restoredCopy }, tls: await tlsLoading, found };
}
