import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";

export interface MetricsServerOptions {
  readonly host: string;
  readonly port: number;
  readonly contentType: string;
  render(): Promise<string>;
}

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 16;

/** Serves metrics to the operator's collector on a separate port, without TLS and keys. */
export async function openMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const { host, port, contentType, render } = options;
  const server = http.createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (!isRead || request.url?.split("?", 1)[0] !== "/metrics") {
      response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end("GET /metrics\n");
      return;
    }
    render().then(
      (text) => response.writeHead(200, { "content-type": contentType }).end(text),
      () => response.writeHead(500).end(),
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
