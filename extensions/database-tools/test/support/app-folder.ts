import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type pg from "pg";
import { type Cleanup, createTestDatabase } from "../../../../server/test/support/database.ts";
import { type CommandResult, runHere } from "../../../../server/test/support/run-here.ts";
import { createTemporaryFolder } from "../../../../server/test/support/temporary-folder.ts";

export interface AppFolder {
  readonly folder: string;
  /** The folder of the migrations. */
  readonly dir: string;
  readonly owner: pg.Client;
  readonly env: Readonly<Record<string, string>>;
  write(path: string, text: string): Promise<string>;
  run(args: readonly string[], input?: string): Promise<CommandResult>;
}

/** A database and a folder for the migrations of an app. */
export async function createAppFolder(t: Cleanup): Promise<AppFolder> {
  const { adminUrl, masterKey, owner } = await createTestDatabase(t);
  const folder = await createTemporaryFolder(t, "swarmbase-app-");
  const env = { DATABASE_URL: adminUrl, MASTER_KEY: masterKey, DATA_DIR: join(folder, ".swarmbase"), HOME: folder };
  return {
    folder,
    dir: join(folder, "migrations"),
    owner,
    env,
    async write(path, text) {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      return file;
    },
    run: (args, input) => runHere(args, env, input),
  };
}
