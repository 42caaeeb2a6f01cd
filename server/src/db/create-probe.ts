import type pg from "pg";
import type { Observer } from "../observe/index.ts";
import { selectServerState, type ServerState } from "./sql/select-server-state.ts";

/** Why requests cannot be served at the moment. */
export type DatabaseFault = "unreachable" | "read_only" | "exhausted";

export interface ProbeOptions {
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

type Finding =
  | { readonly fault: null }
  | { readonly fault: "unreachable" | "exhausted"; readonly error: unknown }
  | { readonly fault: "read_only"; readonly reason: string };

/**
 * Concurrent callers share one check, so frequent calls cost the database one statement at a time. A change of the state is
 * logged once, with its cause.
 */
export function createProbe(options: ProbeOptions): () => Promise<DatabaseFault | null> {
  const { pool, observer } = options;
  let underWay: Promise<DatabaseFault | null> | null = null;
  let lastFault: DatabaseFault | null = null;

  const check = async (): Promise<DatabaseFault | null> => {
    const finding = await examine(options, lastFault === "read_only");
    if (finding.fault !== lastFault && !pool.ending) noteChange(finding, observer);
    lastFault = finding.fault;
    return lastFault;
  };
  return () => {
    underWay ??= check().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}

function noteChange(finding: Finding, observer: Observer): void {
  switch (finding.fault) {
    case null:
      return observer.note("database.reachable");
    case "unreachable":
      return observer.note("database.unreachable", { error: finding.error });
    case "exhausted":
      return observer.note("database.exhausted", { error: finding.error });
    case "read_only":
      return observer.note("database.read_only", { reason: finding.reason });
  }
}

async function examine(options: ProbeOptions, wasReadOnly: boolean): Promise<Finding> {
  const { pool, requestPools, allPools, timeoutMs } = options;
  try {
    const state = await askPatiently(pool);
    const { isReadOnly, isStandby } = state;
    options.onState(state);
    // Also after a read-only period: a session keeps the default that it started with.
    if (isReadOnly || wasReadOnly) await Promise.all(allPools.map((each) => dropIdle(each)));
    if (isReadOnly) {
      return {
        fault: "read_only",
        reason: isStandby ? "the server is a standby" : "default_transaction_read_only is on",
      };
    }
  } catch (error) {
    return { fault: codeOf(error) === TOO_MANY_CONNECTIONS ? "exhausted" : "unreachable", error };
  }
  try {
    await Promise.all(requestPools.map((each) => acquire(each, timeoutMs)));
    return { fault: null };
  } catch (error) {
    return { fault: "exhausted", error };
  }
}

/** After a suspension longer than the timeout, the first attempt fails although the server is well; the second one does not. */
async function askPatiently(pool: pg.Pool): Promise<ServerState> {
  try {
    return await ask(pool);
  } catch (error) {
    if (!isTimeout(error)) throw error;
    return ask(pool);
  }
}

/** Closes the connection when the server is read-only: after a failover the same address may lead to another server. */
async function ask(pool: pg.Pool): Promise<ServerState> {
  const client = await pool.connect();
  let isReusable = false;
  try {
    const answer = await selectServerState(client);
    isReusable = !answer.isReadOnly;
    return answer;
  } finally {
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
