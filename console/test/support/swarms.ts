import { setTimeout as wait } from "node:timers/promises";
import type { Page } from "playwright-core";
import { WAIT_MS } from "../../../server/test/support/wait-limit.ts";
import type { ApiClient } from "./api-client.ts";

export interface CreatedSwarm {
  readonly swarmId: string;
  readonly agentIds: readonly string[];
}

/** Creates a swarm with agents of these names, in this order. */
export async function createSwarm(
  api: ApiClient,
  names: readonly string[],
  swarm: Readonly<Record<string, unknown>> = {},
): Promise<CreatedSwarm> {
  const agents = await api.call(
    "POST",
    "/rest/v1/agents",
    names.map((name) => ({ name, role: `Is ${name}` })),
  );
  const made = await api.call("POST", "/rest/v1/swarms", { name: "Beehive launch", ...swarm });
  const agentIds = (agents as { id: string }[]).map(({ id }) => id);
  const [{ id: swarmId } = { id: "" }] = made as { id: string }[];
  await api.call(
    "POST",
    "/rest/v1/swarm_agents",
    agentIds.map((id, position) => ({ swarm_id: swarmId, agent_id: id, position })),
  );
  return { swarmId, agentIds };
}

/** Assigns a tool that requires approval, and one that does not. */
export async function assignTools(api: ApiClient, agentId: string): Promise<void> {
  const asking = await api.call("POST", "/rest/v1/tools", {
    name: "send_mail",
    description: "Sends a mail.",
    kind: "http",
    requires_approval: true,
    input_schema: { type: "object", properties: { to: { type: "string" } } },
    config: { method: "GET", url: "https://example.com/{to}" },
  });
  const known = await api.call("GET", "/rest/v1/tools?name=eq.calculator&select=id");
  const toolIds = [...(asking as { id: string }[]), ...(known as { id: string }[])].map(({ id }) => id);
  await api.call(
    "POST",
    "/rest/v1/agent_tools",
    toolIds.map((id) => ({ agent_id: agentId, tool_id: id })),
  );
}

/** Creates a tool of the user that requires approval, written by the service role. */
export async function createMailTool({ userId, callAsService }: ApiClient, url: string): Promise<string> {
  const [tool] = (await callAsService("POST", "/rest/v1/tools", {
    owner_id: userId,
    name: "send_mail",
    description: "Sends a mail.",
    kind: "http",
    requires_approval: true,
    input_schema: { type: "object", properties: { to: { type: "string" } } },
    config: { method: "GET", url },
  })) as { id: string }[];
  return tool?.id ?? "";
}

export async function sendMessage(page: Page, text: string): Promise<void> {
  const field = page.getByRole("textbox", { name: "Message", exact: true });
  await field.fill(text);
  await field.press("Enter");
}

const POLL_MS = 100;

/** Polls until the condition is true. */
export async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; await wait(POLL_MS)) if (await isSo()) return;
  throw new Error("the condition did not become true in time");
}
