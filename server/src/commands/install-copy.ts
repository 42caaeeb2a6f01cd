import { readdir, rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { Client } from "pg";
import { checkMasterKey } from "../auth/index.ts";
import type { Settings } from "../config/index.ts";
import { derivePassword, syncFolder } from "../crypto/index.ts";
import {
  compareMigrations,
  lockDataDirectory,
  startEmbedded,
  unlessMissing,
  withClient,
  withDatabase,
  withDraft,
} from "../db/index.ts";
import type { CommandContext } from "./command.ts";
import { createCommandObserver } from "./database-access.ts";

interface InstallCopyOptions {
  /** The data directory to create. */
  readonly target: string;
  /** Whether an existing data directory is moved to another name. */
  readonly replaces: boolean;
  readonly context: Pick<CommandContext, "clock" | "signal">;
  /** Creates the data directory under a temporary name. */
  fill(draft: string): Promise<void>;
}

/**
 * Creates a data directory beside its target and moves it into place at the end, so that a failure leaves nothing behind.
 * Resolves with the folder to which a replaced data directory was moved.
 */
export async function installCopy(o: InstallCopyOptions): Promise<string | null> {
  const { target, context } = o;
  const isUsed = await isUsedFolder(target);
  if (isUsed && !o.replaces) {
    throw new Error(
      `${target} is not empty, and nothing was changed. To put the backup in its place, add --replace, which moves the present content to another folder.`,
    );
  }
  // Held until the end, so that no service starts on a folder that is about to be moved.
  const lock = isUsed ? await lockDataDirectory({ folder: target }) : null;
  try {
    return await withDraft(target, async (draft) => {
      await o.fill(draft);
      context.signal.throwIfAborted();
      const stamp = context.clock.now().toISOString().slice(0, 19).replaceAll(":", "-");
      const previousDir = isUsed ? `${target}.before-${stamp}Z` : null;
      // Two renames: a power failure between them leaves both folders complete, under names that tell them apart.
      if (previousDir !== null) await rename(target, previousDir);
      await rename(draft, target);
      await syncFolder(dirname(target));
      return previousDir;
    });
  } finally {
    lock?.release();
  }
}

interface CheckCopyOptions {
  readonly database: string;
  readonly masterKey: string;
  readonly settings: Settings;
  readonly context: CommandContext;
}

/** Starts the database of a copy, checks what a start of the service checks, and stops it after the work. */
export async function withCheckedCopy<T>(
  dataDir: string,
  { database, masterKey, settings, context }: CheckCopyOptions,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const server = await startEmbedded({
    dataDir,
    wantedPort: 0,
    superuserPassword: derivePassword(masterKey, "postgres"),
    observer: createCommandObserver(settings, context),
  });
  try {
    const url = withDatabase(server.adminUrl, database);
    // On a connection of its own, because it leaves the session as the owner of the schema.
    await withClient(url, (client) => checkMasterKey(client, masterKey));
    return await withClient(url, async (client) => {
      const { unknown, fault } = await compareMigrations(client);
      if (unknown.length > 0) {
        throw new Error(
          `The backup is from a newer release of Swarmbase: this one does not know ${unknown.join(", ")}. Nothing was changed.`,
        );
      }
      if (fault !== null) throw new Error(fault);
      return work(client);
    });
  } finally {
    await server.stop();
  }
}

async function isUsedFolder(path: string): Promise<boolean> {
  return ((await unlessMissing(readdir(path))) ?? []).length > 0;
}
