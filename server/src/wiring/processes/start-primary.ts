import { extname, join } from "node:path";
import { unlessAborted } from "@swarmbase/concurrency";
import { writeCredentials } from "../../auth/index.ts";
import {
  CommitWatch,
  countConnections,
  findMaxConnections,
  findNeeds,
  measureMachine,
  openServicePool,
} from "../../db/index.ts";
import { ConnectionAcceptor } from "../../http/index.ts";
import { createGarbageCollection } from "../../jobs/index.ts";
import { createCounts, HolderCounts } from "../../limits/index.ts";
import { decideWorkerCount, superviseWorkers, type SupervisedWorkers } from "../../processes/index.ts";
import { FeedRelay, openReplication } from "../../realtime/index.ts";
import { type Certificate, openCertificate } from "../certificate.ts";
import type { Closers } from "../closers.ts";
import type { NodeServer } from "../database/open-node-server.ts";
import type { PreparedNode } from "../database/prepare-node.ts";
import { createSchemaLevel } from "../database/schema-level.ts";
import { buildLocalUrl, credentialsOf, describeNode } from "../describe-node.ts";
import type { NodeContext } from "../node-context.ts";
import { prepareWithProviders } from "../prepare-with-providers.ts";
import type { RunningService, ServedPages } from "../running-service.ts";
import { addLagGauge, serveMetrics } from "../serve-metrics.ts";
import { replicaUrlOf } from "../services/open-realtime-module.ts";
import { runWorkers, watchDisk } from "../workers/run-workers.ts";
import { forkServiceWorker, type ServiceWorker, type SharedParts } from "./fork-service-worker.ts";
import { WorkerRegistry } from "./worker-registry.ts";

export interface PrimaryService extends RunningService {
  /** Replaces the worker processes one after the other, with the certificate and the code that are there now. */
  replaceWorkers(): Promise<void>;
}

/** TypeScript in the repository, JavaScript in the published package. */
const PROGRAM = join(import.meta.dirname, `../../main${extname(import.meta.filename)}`);
/** Beyond the timeouts of what a worker finishes before it ends. */
const STOP_MARGIN_MS = 15_000;

/** Starts the service as several processes: this one, which owns the port and the database, and workers that serve. */
export async function startPrimary(
  options: NodeContext,
  opened: NodeServer,
  closers: Closers,
): Promise<PrimaryService> {
  const { settings, observer, meter } = options;
  const { node, providerLines: providers } = await prepareWithProviders(options, opened);
  const shared = openShared(options, node, closers);
  const registry = new WorkerRegistry(observer);
  const certificate = openCertificate(options, node.tls);
  certificate.onCertificate((material) => {
    for (const { peer } of registry.alive) peer.tell("setTls", material);
  });
  const { relay, commits } = shared;
  const schemaLevel = createSchemaLevel(options, node);
  const ownFailure = runWorkers(options, closers, {
    workers: [
      createGarbageCollection(),
      schemaLevel.worker,
      ...certificate.workers,
      ...watchDisk(options, node.server),
      ...(relay === null
        ? []
        : [relay.worker, { name: "commit-watch", run: (until: AbortSignal) => commits.run(until) }]),
    ],
  });
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
  const { workers, pages } = await startWorkers(options, { node, shared, registry, certificate, url, port });
  closers.add("worker processes", async () => {
    acceptor.close();
    await workers.stopAll();
  });
  return {
    ...describeNode(options, { ...node, url, localUrl, providers }),
    ...pages,
    failed: Promise.race([workers.failed, ownFailure]),
    leave: () => {
      for (const { peer } of registry.alive) peer.tell("leave", null);
    },
    stop: () => closers.closeAll(),
    replaceWorkers: async () => {
      await certificate.reload();
      await workers.replaceAll();
    },
  };
}

interface Primary {
  readonly node: PreparedNode;
  readonly shared: SharedParts;
  readonly registry: WorkerRegistry;
  readonly certificate: Certificate;
  readonly url: string;
  readonly port: number;
}

/** Starts the worker processes, and resolves when all of them serve. */
async function startWorkers(
  context: NodeContext,
  { node, shared, registry, certificate, url, port }: Primary,
): Promise<{ readonly workers: SupervisedWorkers; readonly pages: ServedPages }> {
  const { settings, observer, environment } = context;
  const { acceptor } = shared;
  const { close: _, ...server } = node.server;
  let pages: ServedPages = { docsUrl: null, hasConsole: false };
  const workers = await superviseWorkers<ServiceWorker>({
    count: await countWorkers(context, node),
    observer,
    stopTimeoutMs: settings.stopTimeoutMs * 2 + settings.agentRunStopTimeoutMs + STOP_MARGIN_MS,
    fork: (id) => forkServiceWorker({ program: PROGRAM, id, env: { ...environment } }, shared),
    start: async ({ peer, id, node: ownNode }) => {
      pages = await peer.call("start", { ...node, tls: certificate.current(), server, id, node: ownNode, url, port });
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
  return { workers, pages };
}

/** What all worker processes share. */
function openShared(
  { settings, observer }: NodeContext,
  { server, masterKey }: PreparedNode,
  closers: Closers,
): SharedParts {
  const pool = openServicePool(server.url, masterKey);
  const commits = new CommitWatch(pool);
  const openStream = openReplication(replicaUrlOf(server, masterKey), commits);
  closers.add("database connection", () => pool.end());
  return {
    acceptor: new ConnectionAcceptor({ settings, observer }),
    counts: createCounts(settings),
    sockets: new HolderCounts(),
    socketLimits: { perAddress: settings.realtimeSocketsPerAddress, perNode: settings.realtimeSocketsPerNode },
    relay: settings.roles.includes("realtime") ? new FeedRelay({ openStream, pool, commits, observer }) : null,
    commits,
  };
}

async function countWorkers({ settings }: NodeContext, { server }: PreparedNode): Promise<number> {
  const { cpus: cores, memoryBytes } = measureMachine();
  const machine = { cores, memoryBytes };
  const isPooled = findNeeds(settings).connections === null;
  if (settings.workers > 0 || isPooled) return decideWorkerCount(settings.workers, machine, null);
  const ofServer = await findMaxConnections(server.adminUrl);
  return decideWorkerCount(0, machine, { ofServer, ofWorker: countConnections(settings.dbPoolSize) });
}
