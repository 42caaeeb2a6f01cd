import { isRecord } from "../../json/index.ts";
import { authError } from "../auth-error.ts";

export type Metadata = Readonly<Record<string, unknown>>;

const MAX_BYTES = 32_768;

/** Shallow merge: each key of `changes` replaces the current value; null deletes the key. */
export function mergeMetadata(current: Metadata, changes: unknown): Metadata {
  if (!isRecord(changes)) throw authError("validation_failed", "Metadata must be a JSON object");
  const members = new Map(Object.entries(current));
  for (const [name, value] of Object.entries(changes)) {
    // Harmless here, but dangerous for every reader that copies the object by assignment.
    if (name === "__proto__") continue;
    if (value === null) members.delete(name);
    else members.set(name, value);
  }
  const merged = Object.fromEntries(members);
  if (Buffer.byteLength(JSON.stringify(merged)) > MAX_BYTES) {
    throw authError("validation_failed", `Metadata must not be larger than ${MAX_BYTES} bytes`);
  }
  return merged;
}
