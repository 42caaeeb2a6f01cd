import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { decode, METRICS, type Message, TRACES } from "./protobuf.ts";

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root. */
  readonly parentSpanId: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 2 for an error. */
  readonly status: number;
}

interface LogRecord {
  readonly severityText: string;
  readonly body: { readonly stringValue: string };
  readonly eventName: string;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

/** A collector on loopback that keeps what it receives: traces and metrics as protocol buffers, logs as JSON. */
export interface Collector {
  readonly url: string;
  readonly received: Received[];
  /** The status of the answers. */
  status: number;
  spans(): readonly Span[];
  /** By name. */
  metrics(): ReadonlyMap<string, Message>;
  logs(): readonly LogRecord[];
  /** The attributes of the resource that sent the spans. */
  resource(): Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((bytes) => {
      const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
      received.push({ path: request.url ?? "", headers: request.headers, body });
      response.writeHead(collector.status, { "content-type": request.headers["content-type"] ?? "" }).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const at = (path: string): readonly Received[] => received.filter((request) => request.path === path);
  const resourceSpans = (): readonly Message[] =>
    at("/v1/traces").flatMap(({ body }) => list(decode(body, TRACES), "resourceSpans"));
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    status: 200,
    spans: () =>
      resourceSpans()
        .flatMap((resource) => list(resource, "scopeSpans"))
        .flatMap((scope) => list(scope, "spans"))
        .map((span) => ({
          name: text(span, "name"),
          traceId: text(span, "traceId"),
          spanId: text(span, "spanId"),
          parentSpanId: text(span, "parentSpanId"),
          kind: Number(first(span, "kind")),
          attributes: attributesOf(span),
          status: Number(list(span, "status").flatMap((status) => first(status, "code") ?? [])[0] ?? 0),
        })),
    metrics: () =>
      new Map(
        at("/v1/metrics")
          .flatMap(({ body }) => list(decode(body, METRICS), "resourceMetrics"))
          .flatMap((resource) => list(resource, "scopeMetrics"))
          .flatMap((scope) => list(scope, "metrics"))
          .map((metric) => [text(metric, "name"), metric]),
      ),
    logs: () =>
      at("/v1/logs").flatMap(({ body }) => {
        const { resourceLogs } = JSON.parse(body.toString("utf8")) as {
          resourceLogs: { scopeLogs: { logRecords: LogRecord[] }[] }[];
        };
        return resourceLogs.flatMap(({ scopeLogs }) => scopeLogs).flatMap(({ logRecords }) => logRecords);
      }),
    resource: () => attributesOf(list(resourceSpans()[0] ?? {}, "resource")[0] ?? {}),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return collector;
}

export function list(message: Message, name: string): readonly Message[] {
  return (message[name] ?? []) as readonly Message[];
}

export function first(message: Message, name: string): unknown {
  return list(message, name)[0];
}

function text(message: Message, name: string): string {
  const value = first(message, name);
  return typeof value === "string" ? value : "";
}

export function attributesOf(message: Message): Readonly<Record<string, unknown>> {
  const entries = list(message, "attributes").map((pair) => {
    const [value = {}] = list(pair, "value");
    return [text(pair, "key"), (Object.values(value)[0] as readonly unknown[] | undefined)?.[0]] as const;
  });
  return Object.fromEntries(entries);
}
