import type { IncomingMessage, ServerResponse } from "node:http";
import type { ErrorCode } from "@swarmbase/sdk";
import type { AppError } from "../../errors/index.ts";
import type { Observer } from "../../observe/index.ts";
import { PROBE_PATHS } from "../routes/health-routes.ts";
import { requestIdOf } from "../request/request-id.ts";

const PATH_LOG_LENGTH = 256;
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

const UNKNOWN: RequestFacts = { route: "none" };
const KEPT = Symbol("what the log keeps of a request");

interface Kept {
  facts: RequestFacts;
  failure: AppError | null;
}

// On the response itself: a WeakMap would be gone through, entry by entry, at every collection of garbage.
interface KeptResponse extends ServerResponse {
  [KEPT]?: Kept;
}

/** What is wrong is with somebody else: the provider, the tool or the endpoint that a caller named. */
const UPSTREAM_CODES: ReadonlySet<string> = new Set([
  "DELIVERY_FAILED",
  "PROVIDER_ERROR",
  "PROVIDER_NOT_CONFIGURED",
  "PROVIDER_TIMEOUT",
  "TOOL_ERROR",
] satisfies ErrorCode[]);

export function createAccessLog(observer: Observer): AccessLog {
  return {
    begin(request, response: KeptResponse) {
      const startedMs = performance.now();
      const kept: Kept = { facts: UNKNOWN, failure: null };
      response[KEPT] = kept;
      response.once("close", () => {
        const { facts, failure } = kept;
        const path = pathOf(request.url);
        const { name, ...more } = describeOutcome(failure, path);
        observer.note(name, {
          method: request.method,
          path,
          route: facts.route,
          userId: facts.userId,
          status: response.statusCode,
          durationMs: Math.round((performance.now() - startedMs) * 10) / 10,
          requestId: requestIdOf(request),
          traceId: traceOf(request.headers["traceparent"]),
          isCutShort: isCutShort(response) || undefined,
          ...more,
        });
      });
    },
    identify(response: KeptResponse, facts) {
      const kept = response[KEPT];
      if (kept !== undefined) kept.facts = facts;
    },
    fail(response: KeptResponse, error) {
      const kept = response[KEPT];
      if (kept !== undefined) kept.failure = error;
    },
  };
}

interface Outcome {
  readonly name: "request.completed" | "request.unavailable" | "request.upstream_failed" | "request.failed";
  readonly error?: unknown;
  readonly code?: string;
  readonly reason?: string;
}

function describeOutcome(failure: AppError | null, path: string): Outcome {
  if (failure === null || failure.status < 500) return { name: "request.completed" };
  const error = failure.cause ?? failure;
  // A probe that finds the database away asks again and again; that it is away is said once, elsewhere.
  if (PROBE_PATHS.has(path)) return { name: "request.completed", error };
  if (UPSTREAM_CODES.has(failure.code)) {
    // Not the cause, which may quote what the other side has sent.
    return { name: "request.upstream_failed", code: failure.code, reason: failure.message };
  }
  return { name: failure.code === "SERVICE_UNAVAILABLE" ? "request.unavailable" : "request.failed", error };
}

/** An answer that was written past Node's response object has an error status, but no headers of its own. */
function isCutShort({ writableFinished, headersSent, statusCode }: ServerResponse): boolean {
  return !writableFinished && (headersSent || statusCode < 400);
}

/** The caller's own trace, so that our line can be found beside theirs. */
function traceOf(traceparent: string | string[] | undefined): string | undefined {
  return typeof traceparent === "string" ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
}

/** Without the query: keys and tokens can stand there. */
function pathOf(url: string | undefined): string {
  return (url ?? "").split("?", 1)[0]?.slice(0, PATH_LOG_LENGTH) ?? "";
}
