import { isUtf8 } from "node:buffer";
import { restError } from "../rest-error.ts";

/** Percent-decodes one part of a URL. Returns null when it is not valid UTF-8 or contains a NUL. */
export function decodePercent(text: string): string | null {
  try {
    const decoded = text.includes("%") ? decodeURIComponent(reread(text)) : reread(text);
    // PostgreSQL has no NUL in text, and in an identifier it would end the statement early.
    return decoded.includes("\0") ? null : decoded;
  } catch {
    return null;
  }
}

/** The same for query strings and forms, where a plus sign is a space. */
export function decodeFormText(text: string): string | null {
  return decodePercent(text.includes("+") ? text.replaceAll("+", " ") : text);
}

/** Node decodes request lines and headers as Latin-1; clients that send raw bytes send UTF-8. */
export function reread(text: string): string {
  if (!/[\x80-\xff]/.test(text) || /[^\0-\xff]/.test(text)) return text;
  return decodeUtf8(Buffer.from(text, "latin1")) ?? text;
}

export function decodeUtf8(bytes: Buffer): string | null {
  return isUtf8(bytes) ? bytes.toString() : null;
}

export function undecodableError(part: string): Error {
  return restError("PGRST100", `"failed to parse ${part}" (line 1, column 1)`, {
    details: "unexpected percent-encoding expecting percent-encoded UTF-8 without NUL",
  });
}
