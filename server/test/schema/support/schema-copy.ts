import assert from "node:assert/strict";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type pg from "pg";
import { connectClient, migrate } from "../../../src/db/index.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { silentObserver } from "../../support/silent-observer.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

const SERVER = join(import.meta.dirname, "../../..");

export interface SchemaCopy {
  readonly database: TestDatabase;
  /** Superuser. */
  readonly client: pg.Client;
  /** Changes one file of the copy; a file that does not exist is empty before. */
  edit(path: string, change: (text: string) => string): Promise<void>;
  /** Migrates the database to the files of the copy, as a release that has them does. Resolves with the names of what was applied. */
  migrate(): Promise<string[]>;
  /** The contract migrations that the last call of `migrate` left out. */
  waiting(): readonly string[];
}

/** A migrated database, and a copy of the files that it was made from. */
export async function openSchemaCopy(t: TestContext): Promise<SchemaCopy> {
  const schemaDir = await createTemporaryFolder(t, "swarmbase-functions-");
  for (const folder of ["migrations", "functions", "comments"])
    await cp(join(SERVER, folder), join(schemaDir, folder), { recursive: true });
  const database = await createTestDatabase(t);
  const { adminUrl, masterKey } = database;
  const client = await connectClient(adminUrl);
  t.after(() => client.end());
  let waiting: readonly string[] = [];
  return {
    database,
    client,
    async edit(path, change) {
      const before = await readFile(join(schemaDir, path), "utf8").catch(() => "");
      const after = change(before);
      assert.notEqual(after, before);
      await writeFile(join(schemaDir, path), after);
    },
    migrate: async () => {
      const settings = { agentLimitPerUser: 100 };
      const result = await migrate({ adminUrl, masterKey, schemaDir, observer: silentObserver, settings });
      waiting = result.waiting;
      return result.applied;
    },
    waiting: () => waiting,
  };
}
