import type { IncomingMessage, ServerResponse } from "node:http";
import { type Attributes, context, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { contextBelow, redactText, traceparentOf, TRACER_NAME, type TraceSource } from "../../observe/index.ts";
import type { RequestListener } from "./serve-routes.ts";
import { findRequestDetails, loggedPath } from "../response/access-log.ts";
import { requestIdOf } from "../request/request-id.ts";
import { PROBE_PATHS } from "../request/probe-paths.ts";

const TRACEPARENT = "traceparent";
const OTHER_METHOD = "_OTHER";
const METHODS: ReadonlySet<string> = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]);

/** The same listener, with a span for each request except probes. Everything it calls runs in the context of that span. */
export function traceRequests({ tracerProvider, propagates }: TraceSource, listener: RequestListener): RequestListener {
  const tracer = tracerProvider.getTracer(TRACER_NAME);
  return (request, response) => {
    const path = loggedPath(request.url);
    if (PROBE_PATHS.has(path)) return listener(request, response);
    const header = request.headers[TRACEPARENT];
    const parent = contextBelow(propagates && typeof header === "string" ? header : null);
    const method = methodOf(request);
    const attributes: Attributes = {
      "http.request.method": method,
      "url.path": redactText(path),
      "url.scheme": "encrypted" in request.socket ? "https" : "http",
      "network.protocol.version": request.httpVersionMajor === 2 ? "2" : request.httpVersion,
      "swarmbase.request.id": requestIdOf(request),
    };
    const span = tracer.startSpan(nameOf(method, null), { kind: SpanKind.SERVER, attributes }, parent);
    // Runs and log lines read this header, and so belong to the span of the request instead of the caller's.
    const own = traceparentOf(span);
    if (own !== undefined) request.headers[TRACEPARENT] = own;
    response.once("close", () => endSpan(span, method, response));
    context.with(trace.setSpan(parent, span), listener, undefined, request, response);
  };
}

function endSpan(span: Span, method: string, response: ServerResponse): void {
  const { route, userId, clientId, failure } = findRequestDetails(response);
  span.updateName(nameOf(method, route));
  const { statusCode } = response;
  span.setAttributes({
    "http.response.status_code": statusCode,
    ...(route !== null && { "http.route": route }),
    ...(userId !== undefined && { "user.id": userId }),
    ...(clientId !== undefined && { "swarmbase.client.id": clientId }),
  });
  // By the conventions for servers, the fault of a client is no error of the span.
  if (statusCode >= 500) {
    span.setAttribute("error.type", failure?.code ?? String(statusCode));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

function nameOf(method: string, route: string | null): string {
  const verb = method === OTHER_METHOD ? "HTTP" : method;
  return route === null ? verb : `${verb} ${route}`;
}

function methodOf({ method = "" }: IncomingMessage): string {
  return METHODS.has(method) ? method : OTHER_METHOD;
}
