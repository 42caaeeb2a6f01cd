import { writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Cleanup } from "./database.ts";
import type { ExtendedService, Parsed, User } from "./extended-service.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";
import { authority, credential } from "./tool-stage.ts";
import { listen } from "./listen.ts";
import { signIn, startOidcServer } from "./oidc-server.ts";

export interface AskingAgent {
  readonly agentId: string;
  readonly toolNames: readonly string[];
  /** The address of a server that takes every request. The tool `pay_back` sends to `/refunds`. */
  readonly origin: string;
  /** The bodies that it got at a path. */
  bodiesAt(path: string): readonly string[];
  /** The person signs in for a call that waits, as the page of the console does it. */
  connect(person: User, executionId: string): Promise<void>;
}

/** Has the service trust the servers of the agent's tools. */
export async function trustToolServers(cleanup: Cleanup): Promise<Record<string, string>> {
  const file = join(await createTemporaryFolder(cleanup, "swarmbase-authority-"), "ca.pem");
  await writeFile(file, authority.cert);
  return { WEBHOOK_CA_FILE: file };
}

const SIZE = z.object({ size: z.enum(["s", "m"]) });

function createShop(): McpServer {
  const server = new McpServer({ name: "shop", version: "1" });
  server.registerTool("order", { description: "Orders.", inputSchema: z.object({}) }, async (_input, { mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, "size", SIZE);
    if (given !== undefined || Object.keys(mcpReq.inputResponses ?? {}).length > 0)
      return { content: [{ type: "text", text: `ordered in ${given?.size ?? "no size"}` }] };
    const size = inputRequired.elicit({ message: "Which size?", requestedSchema: SIZE });
    return inputRequired({ inputRequests: { size } });
  });
  return server;
}

/**
 * An agent that everybody may ask, with three tools whose calls wait for whoever asks, though the grant lets the owner approve: `pay_back` for
 * an approval, `order` for an answer, and `whoami` for an account.
 */
export async function publishAskingAgent(
  cleanup: Cleanup,
  { service, url, fetch }: ExtendedService,
  owner: User,
): Promise<AskingAgent> {
  const received: { readonly path: string; readonly body: string }[] = [];
  const shop = toNodeHandler(createMcpHandler(createShop));
  const server = createServer(credential, (request, response) => {
    if (request.url === "/mcp") return void shop(request as Parameters<typeof shop>[0], response);
    const { url: path = "" } = request;
    void text(request).then((body) => received.push({ path, body }));
    response.writeHead(200, { "content-type": "application/json" }).end('{"refunded":true}');
  });
  const origin = `https://127.0.0.1:${await listen(cleanup, server)}`;
  const { origin: oidcOrigin } = await startOidcServer(cleanup);
  const key = service.credentials.service_role_key;
  const insert = async (table: string, row: object): Promise<Parsed> => {
    const response = await fetch(`${url}/rest/v1/${table}`, {
      method: "POST",
      headers: { apikey: key, authorization: `Bearer ${key}`, prefer: "return=representation", ...JSON_BODY },
      body: JSON.stringify(row),
    });
    const body: Parsed = await response.json();
    if (!response.ok) throw new Error(JSON.stringify(body));
    return body[0];
  };
  const owner_id: string = (await owner.send("GET", "/auth/v1/user")).id;
  const { id: agentId } = await insert("agents", { user_id: owner_id, name: "Desk", acts_for_askers: true });
  cleanup.after(async () => {
    await owner.send("DELETE", `/rest/v1/agents?id=eq.${agentId}`);
    await owner.send("DELETE", `/rest/v1/tools?name=in.(${tools.map(({ name }) => name).join(",")})`);
  });
  const tools = [
    { name: "pay_back", requires_approval: true, config: { method: "POST", url: `${origin}/refunds` } },
    { name: "order", kind: "mcp", config: { url: `${origin}/mcp`, remote_name: "order" } },
    { name: "whoami", config: { url: `${oidcOrigin}/api`, auth: { type: "oauth", account: "asker" } } },
  ];
  for (const tool of tools) {
    const { id } = await insert("tools", { owner_id, description: "For whoever asks.", ...tool });
    await insert("agent_tools", { agent_id: agentId, tool_id: id, approver: tool.name === "whoami" ? null : "asker" });
  }
  await insert("agent_grants", { agent_id: agentId, audience: "everyone" });
  return {
    agentId,
    toolNames: tools.map(({ name }) => name),
    origin,
    bodiesAt: (path) => received.flatMap((request) => (request.path === path ? [request.body] : [])),
    async connect(person, executionId) {
      const authorize = { action: "authorize", tool_execution_id: executionId };
      const { authorization_url: address } = await person.send("POST", "/functions/v1/tools", authorize);
      const answer = await signIn(address, "alice");
      await person.send("POST", "/functions/v1/tools", { action: "finish_authorization", ...answer });
    },
  };
}

const JSON_BODY = { "content-type": "application/json" };
