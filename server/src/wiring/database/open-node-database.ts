import { type Database, DiskReserve, measureDisk, openDatabase } from "../../db/index.ts";
import type { Closers } from "../closers.ts";
import { type CopyHold, createCopyHold } from "../copy-hold.ts";
import type { NodeContext } from "../node-context.ts";
import type { PreparedNode } from "./prepare-node.ts";

interface NodeDatabase {
  readonly database: Database;
  readonly copyHold: CopyHold;
  /** Null when the database is on another machine. */
  readonly reserve: DiskReserve | null;
}

/** Opens the pools, and what stops work while the database is a restored copy or its disk is full. */
export function openNodeDatabase(
  { settings, observer, meter, traceSource }: NodeContext,
  { masterKey, server, prepared }: PreparedNode,
  closers: Closers,
): NodeDatabase {
  const copyHold = createCopyHold(prepared.restoredCopy, observer);
  const database = openDatabase({
    url: server.url,
    masterKey,
    poolSize: settings.dbPoolSize,
    userShare: settings.dbUserSharePercent / 100,
    lockTimeoutMs: settings.dbLockTimeoutMs,
    statementTimeoutMs: settings.dbStatementTimeoutMs,
    observer,
    closeTimeoutMs: settings.stopTimeoutMs,
    isTimed: meter !== null,
    traceSource,
    onRestoredCopy: (copy) => copyHold.update(copy),
  });
  closers.add("database pools", () => database.close());
  const { clusterDir } = server;
  const { diskWarningBytes: warningBytes } = settings;
  const measure = clusterDir === null ? null : () => measureDisk(clusterDir);
  const { commits } = database;
  return { database, copyHold, reserve: measure && new DiskReserve({ warningBytes, observer, commits, measure }) };
}
