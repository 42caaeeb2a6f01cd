import { isRecord } from "../../json/index.ts";
import { authError } from "../auth-error.ts";

export type Metadata = Readonly<Record<string, unknown>>;

const MAX_BYTES = 32_768;
/** Harmless here, but dangerous for every reader that copies the object by assignment. */
const UNSAFE_NAME = "__proto__";

/** Shallow merge: each key of `changes` replaces the current value; null deletes the key. */
export function mergeMetadata(current: Metadata, changes: unknown): Metadata {
  if (!isRecord(changes)) throw authError("validation_failed", "Metadata must be a JSON object");
  const members = new Map(Object.entries(current));
  for (const [name, value] of Object.entries(changes)) {
    if (name === UNSAFE_NAME) continue;
    if (value === null) members.delete(name);
    else members.set(name, value);
  }
  return checkSize(Object.fromEntries(members));
}

/** Keeps what an administrator sent, null included. */
export function copyMetadata(given: Metadata): Metadata {
  return checkSize(Object.fromEntries(Object.entries(given).filter(([name]) => name !== UNSAFE_NAME)));
}

function checkSize(metadata: Metadata): Metadata {
  if (Buffer.byteLength(JSON.stringify(metadata)) > MAX_BYTES) {
    throw authError("validation_failed", `Metadata must not be larger than ${MAX_BYTES} bytes`);
  }
  return metadata;
}
