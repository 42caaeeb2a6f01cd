import { extname, join } from "node:path";
import { unlessAborted } from "@swarmbase/concurrency";
import { loadProviders } from "./agents/index.ts";
import type { AppOptions, RunningService } from "./app.ts";
import { writeCredentials } from "./auth/index.ts";
import { type Closers, createClosers } from "./closers.ts";
import {
  countConnections,
  findMaxConnections,
  findNeeds,
  measureMachine,
  measureStorage,
  openServicePool,
  watchStorage,
} from "./db/index.ts";
import { buildLocalUrl, credentialsOf, describeNode } from "./describe-node.ts";
import { protocolsOf } from "./extensions/index.ts";
import { ConnectionAcceptor, keepTlsCurrent, type TlsMaterial } from "./http/index.ts";
import { supervise, type Worker } from "./jobs/index.ts";
import { createCounts, Holds } from "./limits/index.ts";
import { forkServiceWorker, type ServiceWorker, type SharedParts } from "./open-primary-link.ts";
import { replicaUrlOf } from "./open-realtime-module.ts";
import { createSchemaLevel, loadTlsOf, type PreparedNode, prepareNode } from "./prepare-node.ts";
import type { WorkerStarted } from "./process-protocol.ts";
import { decideWorkerCount, superviseWorkers } from "./processes/index.ts";
import { FeedRelay, openReplication } from "./realtime/index.ts";
import { addLagGauge, serveMetrics } from "./serve-metrics.ts";
import { WorkerRegistry } from "./worker-registry.ts";

export interface PrimaryService extends RunningService {
  /** Replaces the worker processes one after the other, with the certificate and the code that are there now. */
  replaceWorkers(): Promise<void>;
}

/** TypeScript in the repository, JavaScript in the published package. */
const PROGRAM = join(import.meta.dirname, `main${extname(import.meta.filename)}`);
/** Beyond the timeouts of what a worker finishes before it ends. */
const STOP_MARGIN_MS = 15_000;

/** Starts the service as several processes: this one, which owns the port and the database, and workers that serve. */
export async function startPrimary(options: AppOptions): Promise<PrimaryService> {
  const closers = createClosers(options.observer);
  try {
    return await start(options, closers);
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

async function start(options: AppOptions, closers: Closers): Promise<PrimaryService> {
  const { settings, observer, environment, meter, extensions } = options;
  const providers = loadProviders(settings, environment, protocolsOf(extensions));
  const node = await prepareNode(options, { providers, closers });
  const shared = openShared(options, node, closers);
  const registry = new WorkerRegistry(observer);
  const certificate = openCertificate(options, node.tls, registry);
  const { relay } = shared;
  const schemaLevel = createSchemaLevel(options, node);
  const ownFailure = runWorkers(options, closers, [
    schemaLevel.worker,
    ...certificate.workers,
    ...watchDisk(options, node),
    ...(relay === null ? [] : [relay.worker]),
  ]);
  if (meter !== null && relay !== null) addLagGauge(meter, () => relay.lagBytes());
  if (meter !== null && settings.metricsPort > 0)
    await serveMetrics({
      ...options,
      contentType: meter.contentType,
      render: () => registry.renderMetrics(meter),
      closers,
    });

  await unlessAborted(schemaLevel.held, options.signal);
  const { acceptor } = shared;
  const { port } = await acceptor.listen();
  closers.add("port", async () => acceptor.close());
  const localUrl = buildLocalUrl(settings, port);
  const url = settings.publicUrl ?? localUrl;
  await writeCredentials(settings.dataDir, credentialsOf({ ...node, url }));
  const { close: _, ...server } = node.server;
  let started: WorkerStarted = { docsUrl: null, hasConsole: false };
  const workers = await superviseWorkers<ServiceWorker>({
    count: await countWorkers(options, node),
    observer,
    stopTimeoutMs: settings.stopTimeoutMs * 2 + settings.agentRunStopTimeoutMs + STOP_MARGIN_MS,
    fork: (id) => forkServiceWorker({ program: PROGRAM, id, env: { ...environment } }, shared),
    start: async ({ link, id, node: ownNode }) => {
      started = await link.call("start", { ...node, tls: certificate.current(), server, id, node: ownNode, url, port });
    },
    onReady: (worker) => {
      registry.add(worker);
      acceptor.add(worker.taker);
    },
    onLeft: (worker) => {
      registry.leave(worker);
      acceptor.leave(worker.taker);
    },
    onLost: (worker) => registry.lose(worker),
    retire: (worker) => void worker.end("retire"),
    stop: (worker) => void worker.end("stop"),
  });
  closers.add("worker processes", async () => {
    acceptor.close();
    await workers.stopAll();
  });
  return {
    ...describeNode(options, { ...node, url, localUrl, providers }),
    ...started,
    failed: Promise.race([workers.failed, ownFailure]),
    leave: () => {
      for (const { link } of registry.alive) link.tell("leave", null);
    },
    stop: () => closers.closeAll(),
    replaceWorkers: async () => {
      await certificate.reload();
      await workers.replaceAll();
    },
  };
}

function openShared(
  { settings, observer }: AppOptions,
  { server, masterKey }: PreparedNode,
  closers: Closers,
): SharedParts {
  const openStream = openReplication(replicaUrlOf(server, masterKey));
  const pool = openServicePool(server.url, masterKey);
  closers.add("database connection", () => pool.end());
  return {
    acceptor: new ConnectionAcceptor({ settings, observer }),
    counts: createCounts(settings),
    sockets: new Holds(),
    socketLimits: { perAddress: settings.realtimeSocketsPerAddress, perNode: settings.realtimeSocketsPerNode },
    relay: settings.roles.includes("realtime") ? new FeedRelay({ openStream, pool, observer }) : null,
  };
}

/** The result rejects when a critical worker has failed. */
function runWorkers({ observer }: AppOptions, closers: Closers, workers: readonly Worker[]): Promise<never> {
  const working = new AbortController();
  const supervised = supervise(workers, { signal: working.signal, observer });
  closers.add("workers", async () => {
    working.abort();
    await supervised;
  });
  const failed = supervised.then(() => new Promise<never>(() => {}));
  failed.catch(() => {});
  return failed;
}

interface Certificate {
  current(): TlsMaterial | null;
  /** Reads the files again, for workers that start. Files that cannot be used are reported, and the last ones stay in use. */
  reload(): Promise<void>;
  readonly workers: readonly Worker[];
}

function openCertificate(options: AppOptions, first: TlsMaterial | null, registry: WorkerRegistry): Certificate {
  if (first === null) return { current: () => null, reload: async () => {}, workers: [] };
  const { observer } = options;
  const load = loadTlsOf(options);
  let current = first;
  const apply = (material: TlsMaterial): void => {
    current = material;
    for (const { link } of registry.alive) link.tell("setTls", material);
  };
  return {
    current: () => current,
    reload: async () => {
      try {
        apply(await load());
      } catch (error) {
        observer.note("tls.reload_failed", { error });
      }
    },
    workers: [keepTlsCurrent({ first, observer, load, apply })],
  };
}

function watchDisk({ settings, observer }: AppOptions, { server: { clusterDir } }: PreparedNode): readonly Worker[] {
  if (clusterDir === null) return [];
  const measure = () => measureStorage(clusterDir);
  return [{ name: "storage-watch", run: (until) => watchStorage({ settings, observer, measure }, until) }];
}

async function countWorkers({ settings }: AppOptions, { server }: PreparedNode): Promise<number> {
  const { cpus: cores, memoryBytes } = measureMachine();
  const machine = { cores, memoryBytes };
  const isPooled = findNeeds(settings).connections === null;
  if (settings.workers > 0 || isPooled) return decideWorkerCount(settings.workers, machine, null);
  const ofServer = await findMaxConnections(server.adminUrl);
  return decideWorkerCount(0, machine, { ofServer, ofWorker: countConnections(settings.dbPoolSize) });
}
