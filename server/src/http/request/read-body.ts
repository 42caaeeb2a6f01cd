import type { IncomingMessage } from "node:http";
import { AppError } from "../../errors/index.ts";
import { isRecord, readJson } from "../../json/index.ts";
import type { Route } from "../route.ts";
import { clientGoneError } from "./client-signal.ts";
import { hasBody } from "./has-body.ts";
import { isSigned } from "./request-signature.ts";
import type { RouteRequest } from "../route-request.ts";

const JSON_TYPE = /^application\/(?:json|[\w.-]+\+json)$/;
const TEXT_TYPES: ReadonlySet<string> = new Set([
  "text/csv",
  "text/plain",
  "text/xml",
  "application/x-www-form-urlencoded",
]);
const BYTES = "application/octet-stream";
const MEDIA_TYPE = /^\s*([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)\s*(?:;|$)/;
/** Names that reach the prototype of an object; an escape can hide one. */
const SUSPICIOUS = /__proto__|constructor|\\u/;
const NO_BYTES = Buffer.alloc(0);
const UTF_8 = new TextDecoder("utf-8", { fatal: true });

/** JSON becomes a value, text a string, bytes a Buffer. Every other type is rejected, unless the route takes raw bodies. */
export async function readBody(request: RouteRequest, route: Route, limitBytes: number): Promise<void> {
  const { raw, method } = request;
  const { isBodyRaw = false, acceptsAnyBody = false } = route;
  if (!acceptsAnyBody) requireReadable(request);
  if (method === "GET" || method === "HEAD") return;
  const type = acceptsAnyBody ? BYTES : requireType(request, isBodyRaw);
  const bytes = hasBody(raw) ? await collect(raw, limitBytes) : NO_BYTES;
  if (isBodyRaw || type === BYTES) {
    request.body = bytes;
    return;
  }
  if (isSigned(request)) request.signedBytes = bytes;
  request.body = TEXT_TYPES.has(type) ? bytes.toString() : parse(request, bytes);
}

function requireReadable({ raw, headers }: RouteRequest): void {
  const { "content-encoding": encoding, "content-type": type } = headers;
  if (encoding !== undefined && encoding.toLowerCase() !== "identity")
    throw unsupported("Bodies with a Content-Encoding are not accepted");
  if (type === undefined && hasBody(raw))
    throw unsupported("The request has a body and no Content-Type: send application/json");
}

/** Clients send a JSON content type with requests that have no body, or none. */
function requireType({ headers }: RouteRequest, isAnyKnown: boolean): string {
  const type = MEDIA_TYPE.exec(headers["content-type"] ?? "application/json")?.[1]?.toLowerCase();
  const isKnown = type !== undefined && (isAnyKnown || type === BYTES || TEXT_TYPES.has(type) || JSON_TYPE.test(type));
  if (!isKnown) throw unsupported("The Content-Type of the body is not supported");
  return type;
}

function collect(raw: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let length = 0;
  const tooLarge = (): AppError => new AppError("PAYLOAD_TOO_LARGE", "The request body is too large");
  if (Number(raw.headers["content-length"] ?? 0) > limitBytes) throw tooLarge();
  if (raw.destroyed) throw clientGoneError();
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    chunks.push(chunk);
    if (length <= limitBytes) return;
    raw.off("data", onData);
    reject(tooLarge());
  };
  raw.on("data", onData);
  const onClose = (): void => reject(clientGoneError());
  raw.once("end", () => {
    raw.off("close", onClose);
    resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
  });
  raw.once("error", reject);
  raw.once("close", onClose);
  return promise;
}

function parse(request: RouteRequest, bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  let text: string;
  try {
    text = UTF_8.decode(bytes);
  } catch {
    throw malformedBody(request, "must be UTF-8");
  }
  const reading = readJson(text, SUSPICIOUS.test(text) ? rejectPrototypes : undefined);
  if (reading.fault !== null) throw malformedBody(request, reading.fault);
  return reading.value;
}

/** Rejected and not dropped: a client must not lose data silently. */
function rejectPrototypes(name: string, value: unknown): unknown {
  if (name === "__proto__" || (name === "constructor" && isRecord(value) && Object.hasOwn(value, "prototype")))
    throw new SyntaxError(name);
  return value;
}

function unsupported(message: string): AppError {
  return new AppError("UNSUPPORTED_MEDIA_TYPE", message);
}

function malformedBody(request: RouteRequest, fault: string): AppError {
  const message = `The request body ${fault}`;
  return new AppError("VALIDATION_ERROR", message, {
    details: { body: fault },
    ...(request.url.startsWith("/auth/v1/") && {
      upstreamCode: "bad_json",
      members: { error_code: "bad_json", msg: message },
    }),
  });
}
