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
import { decideProcessCount, superviseProcesses, type SupervisedProcesses } from "../../processes/index.ts";
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
import { forkServiceProcess, type ServiceProcess, type SharedPorts } from "./fork-service-process.ts";
import { ProcessRegistry } from "./process-registry.ts";

export interface PrimaryService extends RunningService {
  /** Replaces the worker processes one after the other, with the certificate and the code that are there now. */
  replaceProcesses(): Promise<void>;
}

/** TypeScript in the repository, JavaScript in the published package. */
const PROGRAM = join(import.meta.dirname, `../../main${extname(import.meta.filename)}`);
/** Beyond the timeouts of what a worker process finishes before it ends. */
const STOP_MARGIN_MS = 15_000;

/** Starts the service as several processes: this one, which owns the port and the database, and worker processes that serve. */
export async function startPrimary(
  options: NodeContext,
  opened: NodeServer,
  closers: Closers,
): Promise<PrimaryService> {
  const { settings, observer, meter } = options;
  const { node, providerLines: providers } = await prepareWithProviders(options, opened);
  const shared = openShared(options, node, closers);
  const registry = new ProcessRegistry(observer);
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
  const { processes, pages } = await startProcesses(options, { node, shared, registry, certificate, url, port });
  closers.add("worker processes", async () => {
    acceptor.close();
    await processes.stopAll();
  });
  return {
    ...describeNode(options, { ...node, url, localUrl, providers }),
    ...pages,
    failed: Promise.race([processes.failed, ownFailure]),
    leave: () => {
      for (const { peer } of registry.alive) peer.tell("leave", null);
    },
    stop: () => closers.closeAll(),
    replaceProcesses: async () => {
      await certificate.reload();
      await processes.replaceAll();
    },
  };
}

interface Primary {
  readonly node: PreparedNode;
  readonly shared: SharedPorts;
  readonly registry: ProcessRegistry;
  readonly certificate: Certificate;
  readonly url: string;
  readonly port: number;
}

/** Starts the worker processes, and resolves when all of them serve. */
async function startProcesses(
  context: NodeContext,
  { node, shared, registry, certificate, url, port }: Primary,
): Promise<{ readonly processes: SupervisedProcesses; readonly pages: ServedPages }> {
  const { settings, observer, environment } = context;
  const { acceptor } = shared;
  const { close: _, ...server } = node.server;
  let pages: ServedPages = { docsUrl: null, hasConsole: false };
  const processes = await superviseProcesses<ServiceProcess>({
    count: await countProcesses(context, node),
    observer,
    stopTimeoutMs: settings.stopTimeoutMs * 2 + settings.agentRunStopTimeoutMs + STOP_MARGIN_MS,
    fork: (id) => forkServiceProcess({ program: PROGRAM, id, env: { ...environment } }, shared),
    start: async ({ peer, id, node: ownNode }) => {
      pages = await peer.call("start", { ...node, tls: certificate.current(), server, id, node: ownNode, url, port });
    },
    onReady: (workerProcess) => {
      registry.add(workerProcess);
      acceptor.add(workerProcess.taker);
    },
    onLeft: (workerProcess) => {
      registry.leave(workerProcess);
      acceptor.leave(workerProcess.taker);
    },
    onLost: (workerProcess) => registry.lose(workerProcess),
    retire: (workerProcess) => void workerProcess.end("retire"),
    stop: (workerProcess) => void workerProcess.end("stop"),
  });
  return { processes, pages };
}

/** What all worker processes share. */
function openShared(
  { settings, observer }: NodeContext,
  { server, masterKey }: PreparedNode,
  closers: Closers,
): SharedPorts {
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

async function countProcesses({ settings }: NodeContext, { server }: PreparedNode): Promise<number> {
  const { cpus: cores, memoryBytes } = measureMachine();
  const machine = { cores, memoryBytes };
  const isPooled = findNeeds(settings).connections === null;
  if (settings.workers > 0 || isPooled) return decideProcessCount(settings.workers, machine, null);
  const ofServer = await findMaxConnections(server.adminUrl);
  return decideProcessCount(0, machine, { ofServer, ofProcess: countConnections(settings.dbPoolSize) });
}
