import type { IncomingMessage, ServerResponse } from "node:http";
import type { AppError } from "../errors/index.ts";
import type { Observer } from "../observe/index.ts";
import { PROBE_PATHS } from "./health.ts";
import { requestIdOf } from "./request-id.ts";

const PATH_LOG_LENGTH = 256;
const UNKNOWN_ROUTE = "none";
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

export interface AccessLog {
  begin(request: IncomingMessage, response: ServerResponse): void;
  /** Keeps what the request turned out to be, for its one line. */
  identify(response: ServerResponse, facts: RequestFacts): void;
  /** Keeps the error that was answered. */
  fail(response: ServerResponse, error: AppError): void;
}

export interface RequestFacts {
  /** As in the route table, so that requests can be counted by it. */
  readonly route: string;
  readonly userId?: string;
}

export function createAccessLog(observer: Observer): AccessLog {
  const failures = new WeakMap<ServerResponse, AppError>();
  const known = new WeakMap<ServerResponse, RequestFacts>();
  return {
    begin(request, response) {
      const startedMs = performance.now();
      response.once("close", () => {
        const failure = failures.get(response);
        const path = pathOf(request.url);
        observer.note(failure === undefined ? "request.completed" : nameOf(failure, path), {
          method: request.method,
          path,
          route: UNKNOWN_ROUTE,
          ...known.get(response),
          status: response.statusCode,
          durationMs: Math.round((performance.now() - startedMs) * 10) / 10,
          requestId: requestIdOf(request),
          ...traceOf(request.headers["traceparent"]),
          ...(isCutShort(response) && { isCutShort: true }),
          ...(failure !== undefined && failure.status >= 500 && { error: failure.cause ?? failure }),
        });
      });
    },
    identify(response, facts) {
      known.set(response, facts);
    },
    fail(response, error) {
      failures.set(response, error);
    },
  };
}

function nameOf(error: AppError, path: string): "request.completed" | "request.unavailable" | "request.failed" {
  // A probe that finds the database away asks again and again; that it is away is said once, elsewhere.
  if (error.status < 500 || PROBE_PATHS.has(path)) return "request.completed";
  return error.code === "SERVICE_UNAVAILABLE" ? "request.unavailable" : "request.failed";
}

/** An answer that was written past Node's response object has an error status, but no headers of its own. */
function isCutShort({ writableFinished, headersSent, statusCode }: ServerResponse): boolean {
  return !writableFinished && (headersSent || statusCode < 400);
}

/** The caller's own trace, so that our line can be found beside theirs. */
function traceOf(traceparent: string | string[] | undefined): { traceId?: string } {
  const traceId = typeof traceparent === "string" ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
  return traceId === undefined ? {} : { traceId };
}

/** Without the query: keys and tokens can stand there. */
function pathOf(url: string | undefined): string {
  return (url ?? "").split("?", 1)[0]?.slice(0, PATH_LOG_LENGTH) ?? "";
}
