import { type FoundOllama, type FoundProviders, mayDetect } from "../../agents/index.ts";
import { type DatabaseServer, openMasterKey, openServer } from "../../db/index.ts";
import { protocolsOf } from "../../extensions/index.ts";
import { assertCanListen, type TlsMaterial } from "../../http/index.ts";
import { loadCertificate } from "../certificate.ts";
import type { Closers } from "../closers.ts";
import type { NodeContext } from "../node-context.ts";
import { timed } from "../start-times.ts";
import { findOllama } from "../providers/find-ollama.ts";
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

/** Opens the database server and brings the schema up to date, and loads the certificate. */
export async function prepareNode(context: NodeContext, closers: Closers): Promise<PreparedNode> {
  const { settings, signal, startTimes } = context;
  await assertCanListen(settings);
  const masterKey = await openMasterKey(settings);
  // The certificate does not depend on the database, so both are prepared at the same time.
  const tlsLoading = settings.tlsMode === "proxy" ? null : timed(startTimes, "certificate", loadCertificate(context));
  tlsLoading?.catch(() => {});
  const ollamaFinding = findUsableOllama(context);
  const server = await timed(startTimes, "postgresql", openServer({ ...context, masterKey }));
  closers.add("database server", () => server.close());
  signal.throwIfAborted();
  const ollama = await ollamaFinding;
  const preparing = prepareDatabase({ ...context, server, masterKey, ollama });
  const { anonKey, serviceRoleKey, restoredCopy, found } = await timed(startTimes, "migrations", preparing);
  signal.throwIfAborted();
  return { masterKey, server, prepared: { anonKey, serviceRoleKey, restoredCopy }, tls: await tlsLoading, found };
}

/** The extensions decide whether it can be spoken to. */
async function findUsableOllama({ settings, environment, extensions }: NodeContext): Promise<FoundOllama | null> {
  const isSpoken = protocolsOf(extensions).some(({ kind }) => kind === "openai-compatible");
  return isSpoken && mayDetect(settings) ? findOllama(environment) : null;
}
