import { unlessAborted } from "@swarmbase/concurrency";
import { loadProviders } from "../agents/index.ts";
import { writeCredentials } from "../auth/index.ts";
import { checkRequirements, type DiskReserve, findNeeds } from "../db/index.ts";
import { protocolsOf } from "../extensions/index.ts";
import type { Worker } from "../jobs/index.ts";
import { type Certificate, openCertificate } from "./certificate.ts";
import type { Closers } from "./closers.ts";
import { openNodeDatabase } from "./database/open-node-database.ts";
import type { NodeServer } from "./database/open-node-server.ts";
import type { PreparedNode } from "./database/prepare-node.ts";
import { createSchemaLevel, type SchemaLevel } from "./database/schema-level.ts";
import { buildLocalUrl, credentialsOf, describeNode } from "./describe-node.ts";
import { openHttp } from "./http/open-http.ts";
import { Later } from "./later.ts";
import type { NodeContext } from "./node-context.ts";
import { type PreparedProviders, prepareWithProviders } from "./prepare-with-providers.ts";
import type { RunningService } from "./running-service.ts";
import { serveNodeMetrics } from "./serve-metrics.ts";
import { openServices } from "./services/open-services.ts";
import type { Services } from "./services/services.ts";
import { timed } from "./start-times.ts";
import { listWorkers } from "./workers/list-workers.ts";
import { runWorkers, watchDisk } from "./workers/run-workers.ts";

/** A service in this process. */
export interface ServingNode extends RunningService {
  /** Lets clients go to another process: closes sockets now, and connections with their next response. */
  drain(): Promise<void>;
  /** Releases what a lost process has leased or announced. */
  takeOver(node: string): Promise<void>;
}

/** Time for handing over the runs that are left at the end of the stop timeout. */
const LAST_WRITES_MS = 6_000;

/** Starts the service on an open database server, as the only process of the node. */
export async function startNode(context: NodeContext, opened: NodeServer, closers: Closers): Promise<ServingNode> {
  return startStages(context, await prepareWithProviders(context, opened), closers);
}

/** Starts the service with what the primary process has prepared and found; nobody reads the lines of a worker process. */
export function startNodeOfPrimary(context: NodeContext, node: PreparedNode, closers: Closers): Promise<ServingNode> {
  const { settings, environment, extensions } = context;
  const providers = loadProviders(settings, environment, protocolsOf(extensions), node.found);
  return startStages(context, { node, providers, providerLines: Promise.resolve([]) }, closers);
}

/** Each stage adds what it has opened to `closers`, which closes it in the reverse order. */
async function startStages(
  options: NodeContext,
  { node, providers, providerLines }: PreparedProviders,
  closers: Closers,
): Promise<ServingNode> {
  const { settings, primary = null } = options;
  // Begins first, because the service waits for the locks of its schema before it listens.
  const ownServices = primary === null ? openOwnServices(options, node) : null;
  const ownFailure = runWorkers(options, closers, { workers: ownServices?.workers ?? [] });
  const { database, copyHold, reserve } = openNodeDatabase(options, node, closers);

  const url = new Later<string>("the base URL is not known before the service listens");
  const knownUrl = primary?.url ?? settings.publicUrl;
  if (knownUrl !== null) url.set(knownUrl);
  const { masterKey, server } = node;
  const { found } = node;
  const context = { ...options, providers, found, masterKey, server, database, copyHold, baseUrl: url.get, closers };
  const caFile = node.tls?.caFile ?? null;
  const services = await timed(options.startTimes, "services", () => openServices(context, caFile));
  await serveNodeMetrics(context, services);

  const failure = runWorkers(options, closers, {
    workers: [...listWorkers(context, services), ...watchReserve(reserve)],
    stopTimeoutMs: Math.max(settings.stopTimeoutMs, settings.agentRunStopTimeoutMs + LAST_WRITES_MS),
  });

  let isLeaving = false;
  const credentialsWritten = Promise.withResolvers<void>();
  credentialsWritten.promise.catch(() => {});
  const http = openHttp(context, services, {
    ...node,
    findObstacle: async () => {
      if (isLeaving) return "stopping";
      return reserve?.isUsed === true ? "disk_full" : database.findFault();
    },
    reserve,
    credentialsWritten: credentialsWritten.promise,
  });
  (primary ?? ownServices?.certificate)?.onCertificate((material) => http.server.renewTls(material));
  if (ownServices !== null) await unlessAborted(ownServices.schemaLevel.held, options.signal);
  const { port } = await timed(options.startTimes, "listening", () => http.server.listen());

  const localUrl = buildLocalUrl(settings, port);
  if (knownUrl === null) url.set(localUrl);
  const described = { ...node, url: url.get(), localUrl, providers: providerLines };
  const { dataDir } = settings;
  credentialsWritten.resolve(primary === null ? writeCredentials(dataDir, credentialsOf(described)) : undefined);
  await credentialsWritten.promise;
  if (primary === null) void noteWarnings(options, node);
  const leave = (): void => {
    isLeaving = true;
    void http.server.drain();
  };
  return {
    ...describeNode(options, described),
    docsUrl: http.hasDocs ? `${described.url}/docs` : null,
    hasConsole: http.hasConsole,
    failed: Promise.race([failure, ownFailure]),
    leave,
    drain: async () => {
      await Promise.all([http.server.drain(), services.realtime.module.close()]);
    },
    takeOver: (lost) => takeOver(services, lost),
    stop: () => {
      leave();
      return closers.closeAll();
    },
  };
}

interface OwnServices {
  readonly schemaLevel: SchemaLevel;
  readonly certificate: Certificate;
  readonly workers: readonly Worker[];
}

/** What a node has once: a worker process leaves it to the primary process. */
function openOwnServices(options: NodeContext, node: PreparedNode): OwnServices {
  const schemaLevel = createSchemaLevel(options, node);
  const certificate = openCertificate(options, node.tls);
  const workers = [schemaLevel.worker, ...certificate.workers, ...watchDisk(options, node.server)];
  return { schemaLevel, certificate, workers };
}

function watchReserve(reserve: DiskReserve | null): readonly Worker[] {
  return reserve === null ? [] : [{ name: "disk-reserve", run: (signal) => reserve.run(signal) }];
}

async function takeOver({ webhooks, agents, realtime }: Services, lost: string): Promise<void> {
  await Promise.all([webhooks.releaseNode(lost), agents.releaseNode(lost), realtime.module.forgetNode(lost)]);
}

/** Reports what the embedded server lacks. An unreachable database is reported by the database check. */
async function noteWarnings({ settings, clock, observer }: NodeContext, { server }: PreparedNode): Promise<void> {
  if (server.clusterDir === null) return;
  const warnings = await checkRequirements(server.adminUrl, findNeeds(settings), clock).catch(() => []);
  for (const missing of warnings) observer.note("database.requirement_warning", { missing });
}
