import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { derivePassword } from "../crypto/index.ts";
import type { Observer } from "../observe/index.ts";
import { withRole } from "./connection.ts";
import { createProbe, type DatabaseFault } from "./create-probe.ts";
import { timeTransactions } from "./pipeline/transaction-times.ts";
import type { RestoredCopy } from "./sql/restored-copy.ts";

export interface Database {
  /** Signs in as `sb_user`, which may become `anon` and `authenticated` only. */
  readonly user: pg.Pool;
  /** Signs in as `sb_service`, which may also become `service_role`. */
  readonly service: pg.Pool;
  /** The same login, for what goes on by itself: however many requests wait, leases are renewed and deliveries made. */
  readonly work: pg.Pool;
  /** Asks the server whether requests can read and write now. Null: they can. */
  findFault(): Promise<DatabaseFault | null>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly masterKey: string;
  readonly poolSize: number;
  /** The longest that the database lets a statement run; one that takes clearly longer is not going to be answered. */
  readonly statementTimeoutMs?: number;
  /** Notes how long each transaction took. Off where nobody would look at it. */
  readonly isTimed?: boolean;
  readonly observer: Observer;
  /** What statements still running get to finish when the pools are closed. */
  readonly closeTimeoutMs?: number;
  /** How long a check waits for an answer, and for a connection that requests could use. */
  readonly probeTimeoutMs?: number;
  /** Called with the mark of a restored copy, or its absence, whenever the server has answered a check. */
  onRestoredCopy?(copy: RestoredCopy | null): void;
}

const CONNECT_TIMEOUT_MS = 5_000;
const PROBE_TIMEOUT_MS = 2_000;
/** A database that hangs is as good as away; whoever asked is told so instead of waiting for ever. */
const QUERY_TIMEOUT_MS = 10_000;
const QUERY_TIMEOUT_MARGIN_MS = 2_000;
const IDLE_TIMEOUT_MS = 60_000;
const KEEPALIVE_DELAY_MS = 10_000;
const DEFAULT_CLOSE_TIMEOUT_MS = 5_000;

/** The probe, one listener each of webhooks, runs and the catalogue, and two for work that is done once. */
const OTHER_CONNECTIONS = 6;
const SIZED_POOLS = 3;

/** Most connections of one node, without the one that follows the write-ahead log, which counts elsewhere. */
export function countConnections(poolSize: number): number {
  return SIZED_POOLS * poolSize + OTHER_CONNECTIONS;
}

export function openDatabase(options: DatabaseOptions): Database {
  const { url, masterKey, poolSize, observer, statementTimeoutMs = 0 } = options;
  const { closeTimeoutMs = DEFAULT_CLOSE_TIMEOUT_MS, probeTimeoutMs = PROBE_TIMEOUT_MS } = options;
  const queryTimeoutMs = Math.max(QUERY_TIMEOUT_MS, statementTimeoutMs + QUERY_TIMEOUT_MARGIN_MS);
  const openPool = (
    pool: Omit<PoolOptions, "url" | "closeTimeoutMs" | "queryTimeoutMs"> & { queryTimeoutMs?: number },
  ): ClosablePool => {
    const roleUrl = withRole(url, pool.role, derivePassword(masterKey, pool.role));
    return createPool({ queryTimeoutMs, ...pool, url: roleUrl, closeTimeoutMs }, observer);
  };
  const user = openPool({ role: "sb_user", purpose: "user", max: poolSize });
  const service = openPool({ role: "sb_service", purpose: "service", max: poolSize });
  const work = openPool({ role: "sb_service", purpose: "work", max: poolSize });
  const probe = openPool({
    role: "sb_service",
    purpose: "probe",
    max: 1,
    connectTimeoutMs: probeTimeoutMs,
    queryTimeoutMs: probeTimeoutMs,
  });
  const pools = [user, service, work, probe];
  if (options.isTimed === true) {
    for (const [name, { pool }] of Object.entries({ user, service, work }))
      timeTransactions(pool, (durationMs) => observer.note("database.flown", { pool: name, durationMs }));
  }

  return {
    user: user.pool,
    service: service.pool,
    work: work.pool,
    findFault: createProbe({
      pool: probe.pool,
      requestPools: [user.pool, service.pool],
      allPools: [user.pool, service.pool, work.pool],
      timeoutMs: probeTimeoutMs,
      observer,
      onState: ({ restoredCopy }) => options.onRestoredCopy?.(restoredCopy),
    }),
    close: async () => {
      await Promise.all(pools.map((pool) => pool.close()));
    },
  };
}

interface PoolOptions {
  readonly url: string;
  readonly role: string;
  readonly purpose: string;
  readonly max: number;
  readonly connectTimeoutMs?: number;
  readonly queryTimeoutMs: number;
  readonly closeTimeoutMs: number;
}

interface ClosablePool {
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

function createPool(options: PoolOptions, observer: Observer): ClosablePool {
  const { url, purpose, max, connectTimeoutMs = CONNECT_TIMEOUT_MS, queryTimeoutMs, closeTimeoutMs } = options;
  const pool = new pg.Pool({
    connectionString: url,
    application_name: `swarmbase-${purpose}`,
    max,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_DELAY_MS,
    query_timeout: queryTimeoutMs,
  });
  const inUse = new Set<pg.PoolClient>();
  pool.on("acquire", (client) => inUse.add(client));
  pool.on("release", (_error, client) => inUse.delete(client));
  // A connection that breaks in use is reported by its query; without a listener it would also end the process.
  // One that breaks while idle is nobody's fault, and the pool replaces it.
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("error", (error) => observer.note("database.connection_lost", { pool: purpose, error }));

  const close = async (): Promise<void> => {
    const ended = pool.end();
    const finished = new AbortController();
    const late = sleep(closeTimeoutMs, undefined, { signal: finished.signal }).then(
      () => Promise.allSettled([...inUse].map((client) => closeClient(client))),
      () => {},
    );
    await Promise.race([ended, late]);
    finished.abort();
  };
  let closing: Promise<void> | null = null;
  return {
    pool,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Its holder may never give it back, so it is cut off: the statement under way fails there. */
async function closeClient(client: pg.PoolClient): Promise<void> {
  if (client instanceof pg.Client) await client.end();
}
