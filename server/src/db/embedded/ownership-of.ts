import { statSync } from "node:fs";
import type { Ownership } from "./can-reach.ts";

export function ownershipOf(path: string): Ownership | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  return { uid: found.uid, gid: found.gid, mode: found.mode, isDirectory: found.isDirectory() };
}
