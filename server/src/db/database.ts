import { setTimeout as sleep } from "node:timers/promises";
import { type FairPool, watchTransactions } from "@swarmbase/postgres";
import pg from "pg";
import { derivePassword } from "../crypto/index.ts";
import { nextTick } from "../jobs/index.ts";
import type { Observer, TraceSource } from "../observe/index.ts";
import { CommitWatch } from "./commit-watch.ts";
import { withRole } from "./connection.ts";
import { createProbe, type DatabaseFault } from "./create-probe.ts";
import { createPool } from "./create-pool.ts";
import { findDatabaseHosts } from "./hosts/database-hosts.ts";
import type { RestoredCopy } from "./sql/restored-copy.ts";
import { createStatementTracer, traceClient } from "./trace-statements.ts";

export interface Database {
  /** Logs in as `sb_user`, which may set the roles `anon`, `authenticated` and `api_key` only. */
  readonly user: FairPool;
  /** Logs in as `sb_service`, which may also set the role `service_role`. */
  readonly service: FairPool;
  /** The same login for background work: leases are renewed and deliveries made, however many requests wait. */
  readonly work: FairPool;
  /** Checks whether requests can read and write. Resolves with null when they can. */
  findFault(): Promise<DatabaseFault | null>;
  /** Says whether anything was committed. */
  readonly commits: CommitWatch;
  /** How often that has to be done without requests. */
  readonly checkIntervalMs: number;
  /** Whether the URL lists several servers, of which another one can become the primary. */
  readonly hasHosts: boolean;
  close(): Promise<void>;
}

interface DatabaseOptions {
  readonly url: string;
  readonly masterKey: string;
  readonly poolSize: number;
  /** The part of the connections of a pool that one user may hold; all of them by default. */
  readonly userShare?: number;
  /** How long a request waits for a lock of another transaction; for any time by default. */
  readonly lockTimeoutMs?: number;
  /** The statement timeout of the database; a statement that takes clearly longer gets no response. */
  readonly statementTimeoutMs?: number;
  /** Observes the duration of each transaction. Off without metrics. */
  readonly isTimed?: boolean;
  readonly observer: Observer;
  /** Null or absent: statements have no spans. */
  readonly traceSource?: TraceSource | null;
  /** Time that running statements have to finish when the pools are closed. */
  readonly closeTimeoutMs?: number;
  /** Time that a check waits for a response, and for a connection of the pools. */
  readonly probeTimeoutMs?: number;
  /** Called after each check with the mark of a restored copy, or null. */
  onRestoredCopy?(copy: RestoredCopy | null): void;
}

const CONNECT_TIMEOUT_MS = 5_000;
const PROBE_TIMEOUT_MS = 2_000;
/** A database that hangs counts as unavailable: requests get an error instead of waiting forever. */
const QUERY_TIMEOUT_MS = 10_000;
const QUERY_TIMEOUT_MARGIN_MS = 2_000;
const IDLE_TIMEOUT_MS = 60_000;
const KEEPALIVE_DELAY_MS = 10_000;
const DEFAULT_CLOSE_TIMEOUT_MS = 5_000;
const CHECK_INTERVAL_MS = 5_000;
/** With several servers, a check also finds the one that has taken over from a machine that is gone and closes no connection. */
const LIST_CHECK_INTERVAL_MS = 1_000;

/** The probe, one listener each for webhooks, runs and the catalogue, the lock of the schema level, and two for single tasks. */
const OTHER_CONNECTIONS = 7;
const SIZED_POOLS = 3;

/** The maximum number of connections of one node, without the WAL sender of the change feed, which has its own limit. */
export function countConnections(poolSize: number): number {
  return SIZED_POOLS * poolSize + OTHER_CONNECTIONS;
}

export function openDatabase(options: DatabaseOptions): Database {
  const { poolSize, observer, statementTimeoutMs = 0, probeTimeoutMs = PROBE_TIMEOUT_MS } = options;
  const queryTimeoutMs = Math.max(QUERY_TIMEOUT_MS, statementTimeoutMs + QUERY_TIMEOUT_MARGIN_MS);
  const sized = { max: poolSize, connectTimeoutMs: CONNECT_TIMEOUT_MS, queryTimeoutMs };
  const { userShare = 1, lockTimeoutMs = 0 } = options;
  const shared = { ...sized, userShare, lockTimeoutMs };
  const user = openPool(options, { ...shared, role: "sb_user", purpose: "user" });
  const service = openPool(options, { ...shared, role: "sb_service", purpose: "service" });
  const work = openPool(options, { ...sized, role: "sb_service", purpose: "work" });
  const probeTimeouts = { connectTimeoutMs: probeTimeoutMs, queryTimeoutMs: probeTimeoutMs };
  const probe = openPool(options, { ...probeTimeouts, role: "sb_service", purpose: "probe", max: 1 });
  for (const [name, { pool }] of Object.entries({ user, service, work })) watchPool(name, pool, options);
  const hosts = findDatabaseHosts(options.url);
  const stopWatching = hosts?.primary.onMoved((place) =>
    observer.note("database.moved", { server: hosts.describe(place) }),
  );

  return {
    user: user.pool,
    service: service.pool,
    work: work.pool,
    commits: new CommitWatch(work.pool),
    checkIntervalMs: hosts === null ? CHECK_INTERVAL_MS : LIST_CHECK_INTERVAL_MS,
    hasHosts: hosts !== null,
    findFault: createProbe({
      pool: probe.pool,
      requestPools: [user.pool, service.pool],
      allPools: [user.pool, service.pool, work.pool],
      timeoutMs: probeTimeoutMs,
      observer,
      onState: ({ restoredCopy }) => options.onRestoredCopy?.(restoredCopy),
    }),
    close: async () => {
      stopWatching?.();
      await Promise.all([user, service, work, probe].map(({ close }) => close()));
    },
  };
}

/** Times and traces what the pool executes; a pool that is neither timed nor traced is left as it is. */
function watchPool(
  name: string,
  pool: FairPool,
  { isTimed = false, traceSource = null, observer }: DatabaseOptions,
): void {
  const tracer = traceSource === null ? null : createStatementTracer(traceSource);
  if (tracer !== null) pool.on("connect", (client) => traceClient(client, name, tracer));
  if (!isTimed && tracer === null) return;
  watchTransactions(pool, ({ startedMs, statements, error }) => {
    if (isTimed) observer.note("database.flown", { pool: name, durationMs: performance.now() - startedMs });
    tracer?.({ texts: statements.map(({ text }) => text), pool: name, startedMs, error });
  });
}

/** Watches commits, and checks regularly, so that an outage and its end are logged even without requests. During an outage each look counts as a commit. */
export async function watchDatabase(
  {
    commits,
    findFault,
    checkIntervalMs,
    hasHosts,
  }: Pick<Database, "commits" | "findFault" | "checkIntervalMs" | "hasHosts">,
  signal: AbortSignal,
): Promise<void> {
  const check = async (): Promise<void> => {
    while (!signal.aborted) {
      const { version } = commits;
      await findFault();
      await nextTick(checkIntervalMs, signal);
      if (!hasHosts) await commits.after(version, signal);
    }
  };
  await Promise.all([commits.run(signal), check()]);
}

interface PoolOptions {
  readonly role: string;
  readonly purpose: string;
  readonly max: number;
  readonly userShare?: number;
  readonly lockTimeoutMs?: number;
  readonly connectTimeoutMs: number;
  readonly queryTimeoutMs: number;
}

interface ClosablePool {
  readonly pool: FairPool;
  close(): Promise<void>;
}

function openPool(
  options: DatabaseOptions,
  { role, purpose, userShare, lockTimeoutMs, ...limits }: PoolOptions,
): ClosablePool {
  const { url, masterKey, observer, closeTimeoutMs = DEFAULT_CLOSE_TIMEOUT_MS } = options;
  const pool = createPool({
    connectionString: withRole(url, role, derivePassword(masterKey, role)),
    application_name: `swarmbase-${purpose}`,
    max: limits.max,
    ...(userShare !== undefined && { userShare }),
    ...(lockTimeoutMs !== undefined && { lockTimeoutMs }),
    connectionTimeoutMillis: limits.connectTimeoutMs,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_DELAY_MS,
    query_timeout: limits.queryTimeoutMs,
  });
  let closing: Promise<void> | null = null;
  const inUse = new Set<pg.PoolClient>();
  pool.on("acquire", (client) => inUse.add(client));
  pool.on("release", (_error, client) => inUse.delete(client));
  // The query reports a connection that breaks in use; without a listener it would also end the process.
  // The pool replaces a connection that breaks while idle.
  pool.on("connect", (client) => client.on("error", () => {}));
  // An embedded server that stops can end connections before they have closed themselves.
  pool.on("error", (error) => {
    if (closing === null) observer.note("database.connection_lost", { pool: purpose, error });
  });

  const close = async (): Promise<void> => {
    const finished = new AbortController();
    const late = sleep(closeTimeoutMs, undefined, { signal: finished.signal }).then(
      () => Promise.allSettled(Array.from(inUse, closeClient)),
      () => {},
    );
    await Promise.race([pool.end(), late]);
    finished.abort();
  };
  return { pool, close: () => (closing ??= close()) };
}

/** Its holder may never release it, so its socket is closed: the current statement fails. */
async function closeClient(client: pg.PoolClient): Promise<void> {
  if (client instanceof pg.Client) await client.end();
}
