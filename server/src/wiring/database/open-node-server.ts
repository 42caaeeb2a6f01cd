import { type FoundOllama, loadProviders, mayDetect } from "../../agents/index.ts";
import { checkTogether } from "../../config/index.ts";
import { type DatabaseServer, openMasterKey, openServer } from "../../db/index.ts";
import { protocolsOf } from "../../extensions/index.ts";
import { assertCanListen } from "../../processes/index.ts";
import { loadSignInProviders } from "../../sign-in-providers/index.ts";
import type { Closers } from "../closers.ts";
import type { NodeContext } from "../node-context.ts";
import { findOllama } from "../providers/find-ollama.ts";
import { timed } from "../start-times.ts";

/** The database server of a node, and what is found meanwhile. */
export interface NodeServer {
  readonly masterKey: string;
  readonly server: DatabaseServer;
  readonly ollama: FoundOllama | null;
}

/** Starts the database server, or waits for it. `onWaiting` is called when only PostgreSQL has work to do. */
export async function openNodeServer(
  context: NodeContext,
  closers: Closers,
  onWaiting: () => void,
): Promise<NodeServer> {
  const { settings, environment, extensions, signal, startTimes } = context;
  // Reports faults of the settings before anything is opened.
  checkTogether(
    () => loadProviders(settings, environment, protocolsOf(extensions)),
    () => loadSignInProviders(settings, environment),
  );
  await assertCanListen(settings);
  const masterKey = await openMasterKey(settings);
  const ollamaFinding = findUsableOllama(context);
  const server = await timed(startTimes, "postgresql", () => openServer({ ...context, masterKey, onWaiting }));
  closers.add("database server", () => server.close());
  signal.throwIfAborted();
  return { masterKey, server, ollama: await ollamaFinding };
}

/** The extensions decide whether it can be spoken to. */
async function findUsableOllama({ settings, environment, extensions }: NodeContext): Promise<FoundOllama | null> {
  const isSpoken = protocolsOf(extensions).some(({ kind }) => kind === "openai-compatible");
  return isSpoken && mayDetect(settings) ? findOllama(environment) : null;
}
