import type { GivenKey } from "../agents/index.ts";
import { type Closers, createClosers } from "./closers.ts";
import type { PreparedDatabase, PrepareDatabaseOptions } from "./database/prepare-database.ts";
import type { NodeServer } from "./database/open-node-server.ts";
import type { PreparedNode } from "./database/prepare-node.ts";
import type { NodeContext } from "./node-context.ts";
import type { PrimaryConnection } from "./processes/connect-primary.ts";
import type { PrimaryService } from "./processes/start-primary.ts";
import type { KeyTest, TestContext } from "./providers/test-providers.ts";
import { timed } from "./start-times.ts";
import type { ServingNode } from "./start-node.ts";

// All modules are loaded when they are needed: most commands need few of them, and the service loads them while PostgreSQL starts.

/** Starts the service in this process, which is the only one of the node. */
export function startNode(context: NodeContext): Promise<ServingNode> {
  return withServer(
    context,
    () => import("./start-node.ts"),
    (module, opened, closers) => module.startNode(context, opened, closers),
  );
}

/** Starts the service in this worker process, with what its primary process has prepared. */
export async function startNodeOfPrimary(context: NodeContext, prepared: PreparedNode): Promise<ServingNode> {
  const { startNodeOfPrimary: start } = await import("./start-node.ts");
  return closeOnFault(context, (closers) => start(context, prepared, closers));
}

/** Starts the service as several processes, of which this one is the primary. */
export function startPrimary(context: NodeContext): Promise<PrimaryService> {
  return withServer(
    context,
    () => import("./processes/start-primary.ts"),
    (module, opened, closers) => module.startPrimary(context, opened, closers),
  );
}

/** Connects a worker process with its primary. */
export async function connectPrimary(): Promise<PrimaryConnection> {
  return (await import("./processes/connect-primary.ts")).connectPrimary();
}

/** Brings the schema up to date, and creates missing keys. */
export async function prepareDatabase(options: PrepareDatabaseOptions): Promise<PreparedDatabase> {
  return (await import("./database/prepare-database.ts")).prepareDatabase(options);
}

/** Tests the key of a vendor without a service. */
export async function testKey(context: TestContext, given: GivenKey): Promise<KeyTest> {
  return (await import("./providers/test-providers.ts")).testKey(context, given);
}

/** Loads modules while the database server starts. */
function withServer<Module, Service>(
  context: NodeContext,
  load: () => Promise<Module>,
  start: (module: Module, opened: NodeServer, closers: Closers) => Promise<Service>,
): Promise<Service> {
  return closeOnFault(context, async (closers) => {
    const { openNodeServer } = await import("./database/open-node-server.ts");
    let loading: Promise<Module> | null = null;
    const loadOnce = (): Promise<Module> => (loading ??= timed(context.startTimes, "modules", load));
    const opened = await openNodeServer(context, closers, () => void loadOnce().catch(() => {}));
    return start(await loadOnce(), opened, closers);
  });
}

/** A start that fails closes what it has opened. */
async function closeOnFault<Service>(
  { observer }: NodeContext,
  start: (closers: Closers) => Promise<Service>,
): Promise<Service> {
  const closers = createClosers(observer);
  try {
    return await start(closers);
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}
