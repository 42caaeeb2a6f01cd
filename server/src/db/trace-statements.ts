import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import pg from "pg";
import { TRACER_NAME, type TraceSource } from "../observe/index.ts";

const MAX_TEXT_CHARS = 2_048;

interface TracedStatements {
  /** Values are parameters, so that the texts contain none. */
  readonly texts: readonly string[];
  readonly pool: string;
  /** As `performance.now()` gives it. */
  readonly startedMs: number;
  /** Undefined means that they succeeded. */
  readonly error: unknown;
}

type StatementTracer = (statements: TracedStatements) => void;

/** Creates the span of statements that have ended. Polls and other work that is not part of a traced operation have none. */
export function createStatementTracer({ tracerProvider }: TraceSource): StatementTracer {
  const tracer = tracerProvider.getTracer(TRACER_NAME);
  return ({ texts, pool, startedMs, error }) => {
    if (trace.getSpan(context.active())?.isRecording() !== true) return;
    const operation = operationOf(texts[0] ?? "");
    const span = tracer.startSpan(operation, {
      kind: SpanKind.CLIENT,
      startTime: performance.timeOrigin + startedMs,
      attributes: {
        "db.system.name": "postgresql",
        "db.operation.name": operation,
        "db.query.text": texts.join(";\n").slice(0, MAX_TEXT_CHARS),
        "swarmbase.db.pool": pool,
        ...(texts.length > 1 && { "db.operation.batch.size": texts.length }),
      },
    });
    if (error !== undefined) {
      const code = error instanceof pg.DatabaseError ? error.code : undefined;
      if (code !== undefined) span.setAttribute("db.response.status_code", code);
      span.setAttribute("error.type", code ?? (error instanceof Error ? error.name : "_OTHER"));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  };
}

/** Traces `client.query`. Pipelined transactions, which submit an object of their own, are traced where they are built. */
export function traceClient(client: pg.ClientBase, pool: string, tracer: StatementTracer): void {
  const query = client.query.bind(client) as (...args: readonly unknown[]) => unknown;
  const traced = (...args: readonly unknown[]): unknown => {
    const text = textOf(args[0]);
    if (text === null) return query(...args);
    const startedMs = performance.now();
    const end = (error?: unknown): void => tracer({ texts: [text], pool, startedMs, error });
    const callback = args.at(-1);
    if (typeof callback === "function") {
      // The driver calls back from the socket, which has no context of the caller.
      const onEnd = context.bind(context.active(), (...results: readonly unknown[]): unknown => {
        end(results[0] ?? undefined);
        return Reflect.apply(callback, undefined, results);
      });
      return query(...args.slice(0, -1), onEnd);
    }
    const result = query(...args);
    if (result instanceof Promise) result.then(() => end(), end);
    return result;
  };
  client.query = traced as typeof client.query;
}

function textOf(statement: unknown): string | null {
  if (typeof statement === "string") return statement;
  if (typeof statement !== "object" || statement === null || "submit" in statement || !("text" in statement))
    return null;
  return typeof statement.text === "string" ? statement.text : null;
}

function operationOf(text: string): string {
  return /^\s*([a-z]+)/i.exec(text)?.[1]?.toUpperCase() ?? "postgresql";
}
