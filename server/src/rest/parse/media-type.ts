import type { MediaType } from "./parsed-request.ts";

const ANYTHING: MediaType = { type: "*/*", parameters: {}, quality: 1 };
const QUALITY = /^(?:0(?:\.[0-9]*)?|1(?:\.0*)?|\.[0-9]+)$/;

/**
 * What an Accept header takes, best first: by quality, then the exact before the pattern, then as sent. A type of
 * quality zero is left out; nothing being left means that nothing is acceptable.
 */
export function parseAccept(header: string | undefined): MediaType[] {
  if (header === undefined || header.trim() === "") return [ANYTHING];
  return splitOutsideQuotes(header, ",")
    .filter((part) => part.trim() !== "")
    .map(parseMediaType)
    .filter(({ quality }) => quality > 0)
    .sort((left, right) => right.quality - left.quality || breadthOf(left) - breadthOf(right));
}

/** One media type with its parameters, as in Content-Type. Never fails: what is no media type matches none. */
export function parseMediaType(text: string): MediaType {
  const [type = "", ...rest] = splitOutsideQuotes(text, ";");
  const parameters = new Map<string, string>();
  let quality = 1;
  for (const part of rest) {
    const equals = part.indexOf("=");
    if (equals === -1) continue;
    const name = part.slice(0, equals).trim().toLowerCase();
    const value = unquote(part.slice(equals + 1).trim());
    if (name === "q") quality = parseQuality(value);
    else if (!parameters.has(name)) parameters.set(name, value);
  }
  return { type: type.trim().toLowerCase(), parameters: Object.fromEntries(parameters), quality };
}

function parseQuality(text: string): number {
  return QUALITY.test(text) ? Number(text) : 1;
}

function breadthOf({ type }: MediaType): number {
  if (type === "*/*") return 2;
  return type.endsWith("/*") ? 1 : 0;
}

/** An unterminated quoted string extends to the end. */
function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isQuoted && character === "\\") index += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function unquote(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text;
  return text.slice(1, -1).replace(/\\(.)/gs, "$1");
}
