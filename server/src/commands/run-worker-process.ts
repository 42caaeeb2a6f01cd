import { loadSettings } from "../config/index.ts";
import type { Observer } from "../observe/index.ts";
import { openParentPeer } from "../processes/index.ts";
import {
  connectPrimary,
  type PrimaryMethods,
  type PrimaryProcess,
  type ServingNode,
  startNodeOfPrimary,
  type WorkerProcessMethods,
  type WorkerProcessStart,
} from "../wiring/index.ts";
import type { CommandContext } from "./command.ts";
import { loadConfiguredExtensions } from "./load-configured-extensions.ts";
import { chooseFormat, onAbort, reportCrash } from "./observe-service.ts";
import { type Observability, openObservability } from "./observability.ts";

interface Serving {
  readonly node: ServingNode;
  readonly observation: Observability;
  readonly observer: Observer;
}

const EXIT_FAULT = 1;

/** Serves as a worker process until the primary ends it. Resolves with the exit code. */
export async function runWorkerProcess(context: CommandContext): Promise<number> {
  const primary = await connectPrimary();
  const ending = Promise.withResolvers<"retire" | "stop">();
  const serving = Promise.withResolvers<Serving>();
  const methods: WorkerProcessMethods = {
    ...primary.methods,
    start: async (start) => {
      const starting = startServing(context, start, primary.open(start, peer));
      serving.resolve(starting);
      const { docsUrl, hasConsole } = (await starting).node;
      return { docsUrl, hasConsole };
    },
    leave: async () => (await serving.promise).node.leave(),
    retire: () => ending.resolve("retire"),
    stop: () => ending.resolve("stop"),
    readMetrics: async () => (await (await serving.promise).observation.meter?.read()) ?? [],
    takeOver: async (lost) => (await serving.promise).node.takeOver(lost),
  };
  const peer = openParentPeer<PrimaryMethods>(methods);
  // A primary that was killed takes its worker processes with it: all that was answered is stored.
  void peer.closed.then(() => process.exit(EXIT_FAULT));
  const { node, observation, observer } = await serving.promise;
  const { promise: crashed, resolve: crash } = Promise.withResolvers<"crash">();
  onAbort(context, () => crash("crash"));
  const failed = node.failed.catch((error: unknown): "crash" => {
    observer.note("service.crashed", { error });
    return "crash";
  });
  const end = await Promise.race([ending.promise, failed, crashed]);
  if (end === "crash") peer.tell("leave", null);
  if (end === "retire") await Promise.race([node.drain(), failed, crashed]);
  await node.stop();
  await peer.call("leaveMetrics", (await observation.meter?.read()) ?? []).catch(() => {});
  await observation.close();
  return end === "crash" ? EXIT_FAULT : 0;
}

async function startServing(
  context: CommandContext,
  start: WorkerProcessStart,
  primary: PrimaryProcess,
): Promise<Serving> {
  const { env: environment, clock, version, signal } = context;
  const settings = loadSettings(environment);
  const extensions = await loadConfiguredExtensions(settings, environment);
  const observation = await openObservability(settings, extensions, { ...context, format: chooseFormat(settings) });
  const observer = observation.observer.child({ workerId: start.id });
  reportCrash(context, observer);
  const node = await startNodeOfPrimary(
    {
      ...observation,
      settings,
      extensions,
      observer,
      environment,
      clock,
      version,
      signal,
      primary,
      startTimes: new Map(),
      onProgress: (step) => observer.note("service.progress", { step }),
    },
    // The primary owns the database.
    { ...start, server: { ...start.server, close: async () => {} } },
  );
  return { node, observation, observer };
}
