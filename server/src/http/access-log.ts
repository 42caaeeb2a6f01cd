import type { IncomingMessage, ServerResponse } from "node:http";
import type { AppError } from "../errors/index.ts";
import type { Observer } from "../observe/index.ts";
import { PROBE_PATHS } from "./health.ts";
import { requestIdOf } from "./request-id.ts";

const PATH_LOG_LENGTH = 256;

export interface AccessLog {
  begin(request: IncomingMessage, response: ServerResponse): void;
  /** Keeps the error that was answered, for the request's one line. */
  fail(response: ServerResponse, error: AppError): void;
}

export function createAccessLog(observer: Observer): AccessLog {
  const failures = new WeakMap<ServerResponse, AppError>();
  return {
    begin(request, response) {
      const startedMs = performance.now();
      response.once("close", () => {
        const failure = failures.get(response);
        const path = pathOf(request.url);
        observer.note(failure === undefined ? "request.completed" : nameOf(failure, path), {
          method: request.method,
          path,
          status: response.statusCode,
          durationMs: Math.round((performance.now() - startedMs) * 10) / 10,
          requestId: requestIdOf(request),
          ...(isCutShort(response) && { isCutShort: true }),
          ...(failure !== undefined && failure.status >= 500 && { error: failure.cause ?? failure }),
        });
      });
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

/** Without the query: keys and tokens can stand there. */
function pathOf(url: string | undefined): string {
  return (url ?? "").split("?", 1)[0]?.slice(0, PATH_LOG_LENGTH) ?? "";
}
