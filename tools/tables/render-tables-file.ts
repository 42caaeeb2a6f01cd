import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RecordedExchange, TablesFile } from "@swarmbase/reference";
import { EXAMPLE_ENVIRONMENT, recordExchanges } from "../../extensions/reference/test/support/record-exchanges.ts";
import { openDatabase, withDatabase } from "../../server/src/db/index.ts";
import { startTestCluster, TEMPLATE } from "../../server/test/support/cluster.ts";
import { startService } from "../../server/test/support/service.ts";
import { silentObserver } from "../../server/test/support/silent-observer.ts";
import { readTables } from "./read-tables.ts";

/**
 * The text of the file: tables from a migrated database, exchanges from a running service. `store` stores a first text, without
 * new exchanges: the service reads the file when it starts, and would miss a new table.
 */
export async function renderTablesFile(stored: TablesFile, store: (text: string) => void): Promise<string> {
  const described = await inFolder(describeTables);
  store(renderFile({ ...described, exchanges: stored.exchanges }));
  const exchanges = await inFolder(recordExamples);
  return renderFile({ ...described, exchanges });
}

function renderFile(file: TablesFile): string {
  return `${JSON.stringify(file, null, 1)}\n`;
}

async function describeTables(folder: string): ReturnType<typeof readTables> {
  const { adminUrl, masterKey, stop } = await startTestCluster(folder);
  try {
    const url = withDatabase(adminUrl, TEMPLATE);
    const database = openDatabase({ url, masterKey, poolSize: 1, observer: silentObserver });
    try {
      return await readTables(database.service);
    } finally {
      await database.close();
    }
  } finally {
    await stop();
  }
}

async function recordExamples(folder: string): Promise<readonly RecordedExchange[]> {
  const closers: (() => Promise<void>)[] = [];
  try {
    const cleanup = { after: (close: () => Promise<void>) => void closers.push(close) };
    const { credentials } = await startService(cleanup, { dataDir: folder, env: EXAMPLE_ENVIRONMENT });
    return await recordExchanges(credentials, folder);
  } finally {
    for (const close of closers) await close();
  }
}

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-tables-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
