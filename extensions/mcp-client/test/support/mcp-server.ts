import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server as HttpsServer } from "node:https";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, type McpServer } from "@modelcontextprotocol/server";
import { credential } from "../../../../server/test/support/tool-stage.ts";

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
