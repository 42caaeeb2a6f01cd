import { resolve } from "node:path";
import type { Cleanup } from "../../server/test/support/database.ts";
import { answerPerson } from "../../server/test/support/providers/cache-conversation.ts";
import { type CacheServer, openCacheServer } from "../../server/test/support/providers/cache-server.ts";
import { type HttpRequest, openConnection, renderRequest } from "../load/http-connection.ts";
import { startVersion, type User, type Version } from "../versions/start-version.ts";

/** A service whose provider_a and provider_b are vendors with a cache, and provider_c the scripted provider. */
export interface MemoryService extends Version {
  readonly vendors: CacheServer;
}

export async function startMemoryService(providerPort: number, cleanup: Cleanup): Promise<MemoryService> {
  const vendors = await openCacheServer(cleanup, answerPerson);
  const version = await startVersion({
    name: "the service",
    folder: resolve(import.meta.dirname, "../.."),
    settings: {
      PROVIDER_A_KIND: "openai",
      PROVIDER_A_BASE_URL: vendors.url,
      PROVIDER_A_API_KEY: "bench",
      PROVIDER_B_KIND: "anthropic",
      PROVIDER_B_BASE_URL: vendors.url,
      PROVIDER_B_API_KEY: "bench",
      PROVIDER_C_KIND: "openai-compatible",
      PROVIDER_C_BASE_URL: `http://127.0.0.1:${providerPort}/v1`,
      PROVIDER_C_API_KEY: "bench",
      PROVIDER_C_MODELS: "bench",
      AGENT_USER_SHARE_PERCENT: "100",
    },
  });
  cleanup.after(() => version.stop());
  return { ...version, vendors };
}

/** An agent with a tool of the service. */
export async function addAgent(
  { insert, target }: Version,
  user: User,
  { tool, ...agent }: { readonly tool: string; readonly framework: string; readonly system_prompt: string },
): Promise<string> {
  const [agentId = ""] = await insert(user, "agents", [{ name: "Ada", ...agent }]);
  const connection = await openConnection(target);
  const path = `/rest/v1/tools?name=eq.${tool}&select=id`;
  const { text } = await connection.ask(renderRequest(target, { method: "GET", path, headers: user.headers }));
  connection.close();
  const [found] = JSON.parse(text) as { id: string }[];
  await insert(user, "agent_tools", [{ agent_id: agentId, tool_id: found?.id }]);
  return agentId;
}

export async function addSwarms({ insert }: Version, user: User, agentId: string, count: number): Promise<string[]> {
  const swarms = Array.from({ length: count }, (_, number) => ({ name: `Swarm ${number}` }));
  const swarmIds = await insert(user, "swarms", swarms);
  const places = swarmIds.map((swarmId) => ({ swarm_id: swarmId, agent_id: agentId, position: 0 }));
  await insert(user, "swarm_agents", places);
  return swarmIds;
}

export function toRun({ headers }: User, body: object): HttpRequest {
  return { method: "POST", path: "/functions/v1/agent-respond", headers, body: JSON.stringify(body) };
}
