import type { Client } from "pg";
import { describeError } from "../statements/describe-error.ts";
import type { MigrationFile } from "./read-migrations.ts";
import { createHistory, insertApplied, tryLock, waitForLock } from "./sql/history.ts";

/** A statement that waits for a lock makes all later requests for the table wait behind it. */
const BEGIN = "begin; set local lock_timeout = '30s'";
/** A migration may leave settings behind. Not DISCARD, which would give the lock of the command back. */
const RESET = "reset session authorization; reset role; reset all";
/** With the commit, running services read the schema again, without waiting for their next regular check. */
const RELOAD = "notify pgrst, 'reload schema'";

/** Takes the lock of commands that change the app's schema, until the connection ends. */
export async function takeLock(client: Client, stderr: NodeJS.WritableStream): Promise<void> {
  if (await tryLock(client)) return;
  stderr.write("Another command changes the schema of the app. Waiting for its end.\n");
  await waitForLock(client);
}

/** Applies each migration in a transaction of its own, and records it in the same one. */
export async function applyMigrations(
  client: Client,
  files: readonly MigrationFile[],
  options: { readonly signal: AbortSignal; onApplied?(name: string): void },
): Promise<void> {
  await createHistory(client);
  for (const file of files) {
    options.signal.throwIfAborted();
    await client.query(BEGIN);
    try {
      await client.query(file.text);
      await client.query(RESET);
      await insertApplied(client, file);
      await client.query(RELOAD);
      await client.query("commit");
    } catch (error) {
      await client.query("rollback").catch(() => {});
      const source = { name: file.path, text: file.text, start: 0 };
      throw new Error(`${describeError(error, source)}\nThe migration ${file.name} was rolled back.`, { cause: error });
    }
    options.onApplied?.(file.name);
  }
}
