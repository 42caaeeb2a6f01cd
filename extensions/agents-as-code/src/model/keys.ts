import { createHash } from "node:crypto";
import { KIND_WORDS, type Kind, OWNER_COLUMNS } from "./kinds.ts";

export const KEY = /^[a-z0-9][a-z0-9_-]{0,62}$/;
export const KEY_RULE = "lower-case letters, digits, - and _, at most 63, beginning with a letter or digit";
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const NOBODY = "00000000-0000-0000-0000-000000000000";
const MAX_SLUG = 48;
const VARIANT_BYTE = 8;
const VERSION_BYTE = 6;

/**
 * The id of the row that a key stands for: a UUID of version 5 within the owner's id. The same key is the same row in every run, without
 * a state file and whatever the row is named, and another row for another owner or on another service. A create whose response was lost
 * is found by the next run, and two runs at once cannot create the row twice. Grants are rows of their agent; rows without an owner are
 * the same whoever the owner of the other files is.
 */
export function deriveId(ownerId: string, kind: Kind | "grants", key: string): string {
  const isOwned = kind === "grants" || OWNER_COLUMNS[kind] !== null;
  const namespace = Buffer.from((isOwned ? ownerId : NOBODY).replaceAll("-", ""), "hex");
  const bytes = createHash("sha1").update(namespace).update(`${kind}/${key}`).digest().subarray(0, 16);
  bytes[VERSION_BYTE] = ((bytes[VERSION_BYTE] ?? 0) & 0x0f) | 0x50;
  bytes[VARIANT_BYTE] = ((bytes[VARIANT_BYTE] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** A key from a name: `Order desk` becomes `order-desk`. */
export function slugOf(kind: Kind, name: string): string {
  const slug = name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}+/gu, "")
    .replaceAll(/[^a-z0-9_]+/g, "-")
    .slice(0, MAX_SLUG)
    .replaceAll(/^[-_]+|[-_]+$/g, "");
  return slug === "" ? KIND_WORDS[kind] : slug;
}

/** `ORDER_DESK` for `order-desk`: a part of the name of a variable. */
export function variablePart(text: string): string {
  return text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
}
