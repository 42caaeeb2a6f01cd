import type pg from "pg";
import type { Observer } from "../observe/index.ts";
import { DatabaseClient } from "./hosts/database-client.ts";
import { selectServerState, type ServerState } from "./sql/select-server-state.ts";

/** Why requests cannot be served at the moment. */
export type DatabaseFault = "unreachable" | "read_only" | "exhausted";

interface ProbeOptions {
  /** A separate pool, to tell a node with all connections in use from one whose database is unavailable. */
  readonly pool: pg.Pool;
  /** Requests need a connection of each. */
  readonly requestPools: readonly pg.Pool[];
  /** Pools whose connections are closed when the server becomes read-only. */
  readonly allPools: readonly pg.Pool[];
  readonly timeoutMs: number;
  readonly observer: Observer;
  /** Called after each response of the server. */
  onState(state: ServerState): void;
}

const TOO_MANY_CONNECTIONS = "53300";

interface Finding {
  readonly fault: DatabaseFault | null;
  readonly fields?: { readonly error: unknown } | { readonly reason: string };
}

/**
 * Concurrent callers share one check, so frequent calls cost the database one statement at a time. A change of the state is
 * logged once, with its cause.
 */
export function createProbe(options: ProbeOptions): () => Promise<DatabaseFault | null> {
  const { pool, observer } = options;
  let running: Promise<DatabaseFault | null> | null = null;
  let lastFault: DatabaseFault | null = null;

  const check = async (): Promise<DatabaseFault | null> => {
    const finding = await examine(options, lastFault === "read_only");
    if (finding.fault !== lastFault && !pool.ending)
      observer.note(`database.${finding.fault ?? "reachable"}`, finding.fields);
    lastFault = finding.fault;
    return lastFault;
  };
  return () =>
    (running ??= check().finally(() => {
      running = null;
    }));
}

async function examine(options: ProbeOptions, wasReadOnly: boolean): Promise<Finding> {
  const { pool, requestPools, allPools, timeoutMs } = options;
  try {
    const state = await readState(pool).catch((error: unknown) => {
      // After a suspension longer than the timeout, the first attempt fails although the server is well.
      if (!isTimeout(error)) throw error;
      return readState(pool);
    });
    const { isReadOnly, isStandby } = state;
    options.onState(state);
    // Also after a read-only period: a session keeps the default that it started with.
    if (isReadOnly || wasReadOnly) await Promise.all(allPools.map((each) => dropIdle(each)));
    if (isReadOnly) {
      const reason = isStandby ? "the server is a standby" : "default_transaction_read_only is on";
      return { fault: "read_only", fields: { reason } };
    }
  } catch (error) {
    return { fault: codeOf(error) === TOO_MANY_CONNECTIONS ? "exhausted" : "unreachable", fields: { error } };
  }
  try {
    await Promise.all(requestPools.map((each) => acquire(each, timeoutMs)));
    return { fault: null };
  } catch (error) {
    return { fault: "exhausted", fields: { error } };
  }
}

/** Closes the connection when the server is read-only: after a failover the same address may lead to another server. */
async function readState(pool: pg.Pool): Promise<ServerState> {
  const client = await pool.connect();
  let isReusable = false;
  try {
    const state = await selectServerState(client);
    isReusable = !state.isReadOnly;
    return state;
  } finally {
    if (!isReusable && client instanceof DatabaseClient) client.doubtServer();
    client.release(!isReusable);
  }
}

/** Resolves when a request would get a connection within this time. */
async function acquire(pool: pg.Pool, timeoutMs: number): Promise<void> {
  if (pool.idleCount > 0) return;
  const acquired = pool.connect().then((client) => client.release());
  // A connection that arrives too late is released as well.
  acquired.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no connection became free within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([acquired, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function dropIdle(pool: pg.Pool): Promise<void> {
  const idle = Array.from({ length: pool.idleCount }, () => pool.connect());
  for (const result of await Promise.allSettled(idle)) if (result.status === "fulfilled") result.value.release(true);
}

/** The driver sets no code for its own timeouts. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === undefined && /timeout/i.test(error.message);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
