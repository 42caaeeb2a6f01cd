/** What the vendors of models accept. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

/** The first bytes of a file, as hexadecimal digits. */
const SIGNATURES: Readonly<Record<(typeof IMAGE_TYPES)[number], RegExp>> = {
  "image/png": /^89504e470d0a1a0a/,
  "image/jpeg": /^ffd8ff/,
  "image/gif": /^474946383[79]61/,
  "image/webp": /^52494646.{8}57454250/,
};
const SIGNATURE_CHARACTERS = 16;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Whether the text is Base64 without spaces, and its first bytes are those of the type. */
export function isImage({ media_type, data }: { media_type: (typeof IMAGE_TYPES)[number]; data: string }): boolean {
  if (data.length % 4 !== 0 || !BASE64.test(data)) return false;
  return SIGNATURES[media_type].test(Buffer.from(data.slice(0, SIGNATURE_CHARACTERS), "base64").toString("hex"));
}
