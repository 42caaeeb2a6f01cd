import { measureStorage, type Storage } from "../db/index.ts";
import { openMetricsServer } from "../http/index.ts";
import type { OpenNodeContext } from "./node-context.ts";
import type { GaugeName, GaugeReading, Meter } from "../observe/index.ts";
import type { Services } from "./services/services.ts";

interface MetricsOptions extends Pick<OpenNodeContext, "settings" | "observer" | "closers"> {
  readonly contentType: string;
  render(): Promise<string>;
}

/** Null while the feed is not live. */
type LagReader = () => number | null;

/** Several collectors share one count of the database. */
const REMEMBERED_MS = 2_000;

/** Registers the gauges of a process that serves, and opens the metrics port. */
export async function serveNodeMetrics(context: OpenNodeContext, services: Services): Promise<void> {
  const { settings, meter, primary = null } = context;
  if (meter === null) return;
  addGauges(meter, context, services);
  // The primary process serves the metrics of its worker processes.
  if (settings.metricsPort > 0 && primary === null)
    await serveMetrics({ ...context, contentType: meter.contentType, render: () => meter.render() });
}

/** Gauges read the state of the services whenever the metrics are read. */
function addGauges(
  meter: Meter,
  { database: { user, service, work }, server: { clusterDir }, primary = null }: OpenNodeContext,
  { realtime, webhooks, agents, extensions }: Services,
): void {
  const pools = Object.entries({ user, service, work });
  meter.gauge("swarmbase_pool_connections", () =>
    pools.flatMap(([name, pool]) => [
      { labels: { pool: name, state: "idle" }, value: pool.idleCount },
      { labels: { pool: name, state: "busy" }, value: pool.totalCount - pool.idleCount },
    ]),
  );
  meter.gauge("swarmbase_pool_waiting", () =>
    pools.map(([name, pool]) => ({ labels: { pool: name }, value: pool.countWaiting() })),
  );
  meter.gauge("swarmbase_sockets", () => [{ labels: {}, value: realtime.module.countSockets() }]);
  // The primary process reads the change feed for its worker processes.
  if (primary === null) addLagGauge(meter, () => realtime.changes.lagBytes());
  if (clusterDir !== null) addStorageGauges(meter, clusterDir);
  for (const gauge of extensions.gauges)
    meter.addGauge(gauge, () => {
      const value = gauge.read();
      return value === null ? [] : [{ labels: {}, value }];
    });
  const backlog = remember(() => webhooks.findBacklog());
  meter.gauge("swarmbase_webhook_backlog", async () => byClass(await backlog(), ({ count }) => count));
  meter.gauge("swarmbase_webhook_backlog_seconds", async () =>
    byClass(await backlog(), ({ oldestSeconds }) => oldestSeconds),
  );
  const runs = remember(() => agents.countLiveRuns());
  meter.gauge("swarmbase_runs_waiting", async () =>
    (await runs()).map(({ status, count }) => ({ labels: { status }, value: count })),
  );
}

function addStorageGauges(meter: Meter, clusterDir: string): void {
  const storage = remember(() => measureStorage(clusterDir));
  const gauge = (name: GaugeName, valueOf: (measured: Storage) => number): void =>
    meter.gauge(name, async () => [{ labels: {}, value: valueOf(await storage()) }]);
  gauge("swarmbase_disk_free_bytes", ({ freeBytes }) => freeBytes);
  gauge("swarmbase_disk_size_bytes", ({ totalBytes }) => totalBytes);
  gauge("swarmbase_wal_bytes", ({ walBytes }) => walBytes);
}

export function addLagGauge(meter: Meter, lagBytes: LagReader): void {
  meter.gauge("swarmbase_replication_lag_bytes", () => {
    const value = lagBytes();
    return value === null ? [] : [{ labels: {}, value }];
  });
}

/** Opens the metrics port. */
export async function serveMetrics({
  settings,
  contentType,
  render,
  observer,
  closers,
}: MetricsOptions): Promise<void> {
  const server = await openMetricsServer({
    host: settings.metricsHost,
    port: settings.metricsPort,
    contentType,
    timeouts: settings,
    render,
  });
  closers.add("metrics server", () => server.close());
  observer.note("metrics.serving", { host: settings.metricsHost, port: server.port });
}

function byClass<Row extends { readonly class: string }>(
  rows: readonly Row[],
  valueOf: (row: Row) => number,
): readonly GaugeReading[] {
  return rows.map((row) => ({ labels: { class: row.class }, value: valueOf(row) }));
}

function remember<T>(read: () => Promise<T>): () => Promise<T> {
  let known: { readonly atMs: number; readonly value: Promise<T> } | null = null;
  return () => {
    if (known === null || performance.now() - known.atMs > REMEMBERED_MS)
      known = { atMs: performance.now(), value: read() };
    return known.value;
  };
}
