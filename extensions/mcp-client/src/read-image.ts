import type { ModelImage } from "swarmbase/extension";

/** In base64. The smallest limit among the providers is 5 MB. */
const MAX_IMAGE_CHARS = 5_000_000;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** By the first bytes, in hexadecimal. These are the types that all providers accept. */
const SIGNATURES: readonly (readonly [mediaType: string, pattern: RegExp])[] = [
  ["image/png", /^89504e470d0a1a0a/],
  ["image/jpeg", /^ffd8ff/],
  ["image/gif", /^47494638(37|39)61/],
  ["image/webp", /^52494646.{8}57454250/],
];

/**
 * An image that providers accept; null for anything else. The bytes decide on the type: a provider rejects the whole call when
 * the declared type is wrong.
 */
export function readImage(base64: string): ModelImage | null {
  const data = base64.replaceAll(/\s/g, "");
  if (data.length > MAX_IMAGE_CHARS || data.length % 4 !== 0 || !BASE64.test(data)) return null;
  const start = Buffer.from(data.slice(0, 32), "base64").toString("hex");
  const [mediaType] = SIGNATURES.find(([, pattern]) => pattern.test(start)) ?? [];
  return mediaType === undefined ? null : { mediaType, data };
}
