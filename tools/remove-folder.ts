import { chmodSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const OWNER_ONLY = 0o700;

/**
 * Removes as much of a folder as this account can, also from folders that are not writable. Never throws: returns one
 * message for each path that remains.
 */
export function removeFolder(path: string): string[] {
  try {
    rmSync(path, { recursive: true, force: true });
    return [];
  } catch {
    // rmSync stops at the first path that it cannot remove.
    return removeEach(path);
  }
}

function removeEach(path: string): string[] {
  const failures: string[] = [];
  try {
    if (lstatSync(path).isDirectory()) {
      // The owner of a folder can always change its mode.
      chmodSync(path, OWNER_ONLY);
      for (const name of readdirSync(path)) failures.push(...removeEach(join(path, name)));
    }
    if (failures.length === 0) rmSync(path, { recursive: true, force: true });
  } catch (error) {
    failures.push(error instanceof Error ? error.message : String(error));
  }
  return failures;
}
