import assert from "node:assert/strict";
import { onlyRow, type Person, REPRESENTATION, type Row } from "./people.ts";
import type { ServiceSettings } from "./service.ts";
import { UNLIMITED } from "./settings.ts";

/** Without a provider all are simulated, and no request leaves the machine. */
export const SIMULATED: ServiceSettings = { ...UNLIMITED };

type Sender = Pick<Person, "send">;

export async function add({ send }: Sender, table: string, body: Row): Promise<string> {
  return String(onlyRow(await send(`POST /${table}`, { body, headers: REPRESENTATION }))["id"]);
}

export async function change({ send }: Sender, table: string, id: string, body: Row): Promise<void> {
  const { status, text } = await send(`PATCH /${table}?id=eq.${id}`, { body });
  assert.equal(status, 204, text);
}

export async function remove({ send }: Sender, table: string, id: string): Promise<void> {
  const { status, text } = await send(`DELETE /${table}?id=eq.${id}`);
  assert.equal(status, 204, text);
}

export async function read({ send }: Sender, path: string): Promise<Row[]> {
  const { status, text, rows } = await send(`GET ${path}`);
  assert.equal(status, 200, text);
  return rows;
}

/** Creates an agent in the swarm, with these built-in tools. */
export async function addSwarmAgent(
  person: Sender,
  swarm_id: string,
  name: string,
  tools: readonly string[] = [],
): Promise<string> {
  const agent_id = await add(person, "agents", { name, framework: "provider_a" });
  await add(person, "swarm_agents", { swarm_id, agent_id });
  for (const tool of tools) await add(person, "agent_tools", { agent_id, tool_id: await findTool(person, tool) });
  return agent_id;
}

/** The id of a built-in tool. */
export async function findTool(person: Sender, name: string): Promise<string> {
  const [tool] = await read(person, `/tools?name=eq.${name}&kind=eq.builtin`);
  assert.ok(tool !== undefined, `no tool ${name}`);
  return String(tool["id"]);
}

export interface Run extends Row {
  readonly run_id: string;
  readonly status: string;
  readonly responses: readonly Row[];
}

/** Calls the agents of a swarm and waits for the whole response. */
export async function respond({ send }: Sender, swarm_id: string, message: string, more: Row = {}): Promise<Run> {
  const { status, text, body } = await send("POST /functions/v1/agent-respond", {
    body: { swarm_id, message, ...more },
  });
  assert.equal(status, 200, text);
  return body as Run;
}
