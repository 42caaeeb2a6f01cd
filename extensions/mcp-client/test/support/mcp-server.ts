import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, type McpServer } from "@modelcontextprotocol/server";
import { credential } from "../../../../server/test/support/tool-stage.ts";
import { WAIT_MS } from "../../../../server/test/support/wait-limit.ts";

export async function listen(t: TestContext, server: HttpsServer, port = 0): Promise<number> {
  // On a slow machine, a client could send a request on a connection that the server is closing.
  server.keepAliveTimeout = WAIT_MS;
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  t.after(() => stop(server));
  return (server.address() as AddressInfo).port;
}

async function stop(server: HttpsServer): Promise<void> {
  if (!server.listening) return;
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}

/** The current revision of the protocol: requests are stateless. */
export function modernServer(
  create: () => McpServer,
  onRequest = (_request: IncomingMessage): void => {},
): HttpsServer {
  const handle = toNodeHandler(createMcpHandler(create));
  return createServer(credential, (request, response) => {
    onRequest(request);
    void handle(request as Parameters<typeof handle>[0], response);
  });
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** An older revision of the protocol, with sessions that a restart loses. */
export function sessionServer(
  create: () => McpServer,
  onRequest?: (request: IncomingMessage) => void,
  options?: SessionOptions,
): HttpsServer {
  return createServer(credential, sessionHandler(create, onRequest, options));
}

export type SessionOptions = Pick<
  NonNullable<ConstructorParameters<typeof NodeStreamableHTTPServerTransport>[0]>,
  "eventStore"
>;

export function sessionHandler(
  create: () => McpServer,
  onRequest = (_request: IncomingMessage): void => {},
  options: SessionOptions = {},
): Handler {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    onRequest(request);
    const known = sessions.get(String(request.headers["mcp-session-id"] ?? ""));
    if (known !== undefined) return known.handleRequest(request, response);
    if (request.headers["mcp-session-id"] !== undefined) return void response.writeHead(404).end();
    const transport = new NodeStreamableHTTPServerTransport({
      ...options,
      sessionIdGenerator: () => `session-${sessions.size}-${Math.random()}`,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await create().connect(transport);
    await transport.handleRequest(request, response);
  };
  return (request, response) => void answer(request, response);
}
