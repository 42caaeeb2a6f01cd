import { AppError } from "../../errors/index.ts";
import { parseCsvRows } from "./parse-csv-rows.ts";
import { parseFormArguments, parseFormRow } from "./form-body.ts";
import { parseJsonArguments, parseJsonRows } from "./json-body.ts";
import { parseMediaType } from "./media-type.ts";
import type { Method, ParsedBody, RequestTarget } from "./parsed-request.ts";

export interface BodyInput {
  readonly target: RequestTarget;
  readonly method: Method;
  readonly bytes: Buffer;
  readonly contentType: string | null;
  readonly columns: readonly string[] | null;
}

const NO_BODY: ParsedBody = { kind: "none" };

/** Parses the body if the method has one; ignores it otherwise. */
export function parseBody({ target, method, bytes, contentType, columns }: BodyInput): ParsedBody {
  const isCall = target.kind === "rpc";
  const isChange = !isCall && (method === "PATCH" || method === "PUT");
  if (method !== "POST" && !isChange) return NO_BODY;
  const isUsual = contentType === null || contentType.trim() === "";
  const type = isUsual ? "application/json" : parseMediaType(contentType).type;
  switch (type) {
    case "application/json":
      return isCall ? parseJsonArguments(bytes) : parseJsonRows(bytes, method === "PUT" ? null : columns);
    case "text/csv":
      return parseCsvRows(bytes);
    case "application/x-www-form-urlencoded":
      return isCall ? parseFormArguments(bytes) : parseFormRow(bytes);
    case "text/plain":
    case "text/xml":
    case "application/octet-stream":
      if (isCall) return { kind: "raw", type, bytes };
      break;
    default:
      break;
  }
  throw new AppError("UNSUPPORTED_MEDIA_TYPE", `Content-Type not acceptable: ${contentType ?? ""}`, {
    upstreamCode: "PGRST102",
  });
}
