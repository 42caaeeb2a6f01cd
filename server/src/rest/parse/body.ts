import { AppError } from "../../errors/index.ts";
import { parseCsvRows } from "./csv-body.ts";
import { parseFormArguments, parseFormRow } from "./form-body.ts";
import { parseJsonArguments, parseJsonRows } from "./json-body.ts";
import { parseMediaType } from "./media-type.ts";
import type { Method, ParsedBody, Target } from "./parsed-request.ts";

export interface BodyInput {
  readonly target: Target;
  readonly method: Method;
  readonly bytes: Buffer;
  readonly contentType: string | null;
  readonly columns: readonly string[] | null;
}

const NO_BODY: ParsedBody = { kind: "none" };

/** Parses the body if the method has one; ignores it otherwise. */
export function parseBody({ target, method, bytes, contentType, columns }: BodyInput): ParsedBody {
  if (target.kind === "rpc") return method === "POST" ? parseArguments(bytes, contentType) : NO_BODY;
  switch (method) {
    case "POST":
    case "PATCH":
      return parseRows(bytes, contentType, columns);
    case "PUT":
      return parseRows(bytes, contentType, null);
    case "GET":
    case "HEAD":
    case "DELETE":
    case "OPTIONS":
      return NO_BODY;
  }
}

function parseRows(bytes: Buffer, contentType: string | null, columns: readonly string[] | null): ParsedBody {
  switch (typeOf(contentType)) {
    case "application/json":
      return parseJsonRows(bytes, columns);
    case "text/csv":
      return parseCsvRows(bytes);
    case "application/x-www-form-urlencoded":
      return parseFormRow(bytes);
    default:
      throw unacceptableError(contentType);
  }
}

function parseArguments(bytes: Buffer, contentType: string | null): ParsedBody {
  const type = typeOf(contentType);
  switch (type) {
    case "application/json":
      return parseJsonArguments(bytes);
    case "text/csv":
      return parseCsvRows(bytes);
    case "application/x-www-form-urlencoded":
      return parseFormArguments(bytes);
    case "text/plain":
    case "text/xml":
    case "application/octet-stream":
      return { kind: "raw", type, bytes };
    default:
      throw unacceptableError(contentType);
  }
}

function typeOf(contentType: string | null): string {
  return contentType === null || contentType.trim() === "" ? "application/json" : parseMediaType(contentType).type;
}

function unacceptableError(contentType: string | null): Error {
  return new AppError("UNSUPPORTED_MEDIA_TYPE", `Content-Type not acceptable: ${contentType ?? ""}`, {
    upstreamCode: "PGRST102",
  });
}
