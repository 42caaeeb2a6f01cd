import { catalogueOf, type Providers } from "./agents/index.ts";
import type { Closers } from "./closers.ts";
import { derivePassword } from "./crypto/index.ts";
import { type DatabaseServer, holdSchemaLevels, openServer, OWNER_ROLE, withRole } from "./db/index.ts";
import { assertCanListen, loadTlsMaterial, type TlsMaterial } from "./http/index.ts";
import type { Worker } from "./jobs/index.ts";
import type { NodeContext } from "./node-context.ts";
import { openMasterKey, prepareDatabase, type PreparedDatabase } from "./prepare-database.ts";

export interface PrepareNodeOptions extends NodeContext {
  readonly signal: AbortSignal;
  onProgress(line: string): void;
}

/** What a node needs before its modules can be opened. Copies of it can be sent to another process, except `close` of the server. */
export interface PreparedNode {
  readonly masterKey: string;
  readonly server: DatabaseServer;
  readonly prepared: Pick<PreparedDatabase, "anonKey" | "serviceRoleKey" | "restoredCopy">;
  /** Null in proxy mode. */
  readonly tls: TlsMaterial | null;
}

/** Opens the database and brings it up to date, and loads the certificate. */
export async function prepareNode(
  options: PrepareNodeOptions,
  { providers, closers }: { readonly providers: Providers; readonly closers: Closers },
): Promise<PreparedNode> {
  const { settings, signal } = options;
  await assertCanListen(settings);
  const masterKey = await openMasterKey(settings);
  // The certificate does not depend on the database, so both are prepared at the same time.
  const tlsLoading = settings.tlsMode === "proxy" ? null : loadTlsOf(options)();
  tlsLoading?.catch(() => {});
  const server = await openServer({ ...options, masterKey });
  closers.add("database server", () => server.close());
  signal.throwIfAborted();
  const { anonKey, serviceRoleKey, restoredCopy } = await prepareDatabase({
    ...options,
    server,
    masterKey,
    catalogue: catalogueOf(providers),
  });
  signal.throwIfAborted();
  return { masterKey, server, prepared: { anonKey, serviceRoleKey, restoredCopy }, tls: await tlsLoading };
}

/** Returns a function that reads the certificate files, and renews the local certificate when it is about to expire. */
export function loadTlsOf({ settings, clock }: Pick<NodeContext, "settings" | "clock">): () => Promise<TlsMaterial> {
  const { dataDir, tlsCertFile: certFile, tlsKeyFile: keyFile } = settings;
  return () => loadTlsMaterial({ dataDir, certFile, keyFile, clock });
}

export interface SchemaLevel {
  readonly worker: Worker;
  /** Resolves when newer releases see this node. Rejects when one has removed what this release uses. */
  readonly held: Promise<void>;
}

/** Keeps newer releases from removing what this one uses. One for each service, however many processes it has. */
export function createSchemaLevel(
  { extensions, observer }: NodeContext,
  { server, masterKey }: Pick<PreparedNode, "server" | "masterKey">,
): SchemaLevel {
  const url = withRole(server.directUrl, OWNER_ROLE, derivePassword(masterKey, OWNER_ROLE));
  const schemas = extensions.flatMap(({ schema }) => schema ?? []);
  const { promise: held, resolve: onHeld, reject } = Promise.withResolvers<void>();
  held.catch(() => {});
  const run = async (signal: AbortSignal): Promise<void> => {
    try {
      await holdSchemaLevels({ url, extensions: schemas, observer, onHeld }, signal);
    } catch (error) {
      reject(error);
      throw error;
    }
  };
  return { worker: { name: "schema-level", isCritical: true, run }, held };
}
