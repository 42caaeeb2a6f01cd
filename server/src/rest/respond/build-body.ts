import type { BodyForm } from "../plan/plan.ts";
import type { MainResult } from "./main-result.ts";

/** As between the members of a `json_agg`. */
const SEPARATOR = ", \n ";
/** Longer bodies are built as bytes: a text of this size would be copied once more when it is sent. */
const MAX_TEXT_LENGTH = 64 * 1024;

/** Joins the parts of the body. */
export function buildBody(body: BodyForm, result: MainResult, isList: boolean): string | Buffer {
  const { parts } = result;
  switch (body.kind) {
    case "none":
      return "";
    case "array":
      return join("[", parts, SEPARATOR, "]");
    case "object":
      return parts[0] ?? "null";
    case "value":
      return isList ? join("[", parts, SEPARATOR, "]") : (parts[0] ?? "null");
    case "csv":
      return join(`${result.csvHeader ?? ""}\n`, parts, "\n", "");
    case "geojson":
      return join('{"type" : "FeatureCollection", "features" : [', parts, SEPARATOR, "]}");
    case "raw":
      return decode(parts[0] ?? "", body.encoding);
    case "handler":
      return decode(parts[0] ?? "", body.handler.encoding);
  }
}

function decode(part: string, encoding: "text" | "hex"): string | Buffer {
  return encoding === "hex" ? Buffer.from(part, "hex") : part;
}

function join(start: string, parts: readonly string[], separator: string, end: string): string | Buffer {
  let length = start.length + end.length;
  for (const part of parts) length += part.length + separator.length;
  if (length <= MAX_TEXT_LENGTH) return start + parts.join(separator) + end;
  let size = Buffer.byteLength(start) + end.length + separator.length * Math.max(0, parts.length - 1);
  for (const part of parts) size += Buffer.byteLength(part);
  const bytes = Buffer.allocUnsafe(size);
  let offset = bytes.write(start);
  for (const [index, part] of parts.entries()) {
    if (index > 0) offset += bytes.write(separator, offset, "latin1");
    offset += bytes.write(part, offset);
  }
  bytes.write(end, offset);
  return bytes;
}
