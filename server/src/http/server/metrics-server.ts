import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { checkIntervalMs, type RequestTimeouts } from "./body-deadlines.ts";

interface MetricsServerOptions {
  readonly host: string;
  readonly port: number;
  readonly contentType: string;
  readonly timeouts: RequestTimeouts;
  render(): Promise<string>;
}

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 16;
const HEADERS = { "cache-control": "no-store" };

/** Serves metrics to the operator's collector on a separate port, without TLS and keys. */
export async function openMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const { host, port, contentType, timeouts, render } = options;
  const { headersTimeoutMs: headersTimeout, requestTimeoutMs } = timeouts;
  const limits = {
    headersTimeout,
    requestTimeout: headersTimeout + requestTimeoutMs,
    connectionsCheckingInterval: checkIntervalMs(timeouts),
  };
  const server = http.createServer(limits, (request, response) => {
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (!isRead || request.url?.split("?", 1)[0] !== "/metrics") {
      response.writeHead(404, { ...HEADERS, "content-type": "text/plain; charset=utf-8" }).end("GET /metrics\n");
      return;
    }
    render().then(
      (text) => response.writeHead(200, { ...HEADERS, "content-type": contentType }).end(text),
      () => response.writeHead(500, HEADERS).end(),
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen({ host, port });
  try {
    await once(server, "listening");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot serve metrics on ${host}:${port}: ${reason}. Check METRICS_PORT and METRICS_HOST`, {
      cause: error,
    });
  }
  server.on("error", () => {});
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
