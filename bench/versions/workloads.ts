import { setTimeout as sleep } from "node:timers/promises";
import { writeScript } from "../agents/script-marker.ts";
import { type HttpConnection, type HttpRequest, openConnection, renderRequest } from "../load/http-connection.ts";
import { CHANGE, LIST_LIMIT, NEW_AGENT, TOOLS_PER_AGENT } from "../rest/operations.ts";
import type { WebhookReceiver } from "../webhooks/start-receiver.ts";
import type { User, Version } from "./start-version.ts";

export interface Workload {
  readonly name: string;
  readonly connections: number;
  /** Performs one operation over the connection with this number. */
  work(connection: number): Promise<void>;
  /** Resolves when the consequences of these operations are complete; it belongs to the measured time. */
  settle?(operations: number): Promise<void>;
}

/** Runs before the next conversation starts, because the history is sent with every run. */
const RUNS_OF_CONVERSATION = 20;
const SWARMS_PER_CONNECTION = 40;
const SCRIPT = { delayMs: 0, pieces: 12, piecesPerSecond: 0, isStamped: false };
const RECEIVED_POLL_MS = 5;

/** Each connection has its own user, and all operations of a connection are that user's. */
export async function openWorkloads(
  version: Version,
  receiver: WebhookReceiver,
  connections: number,
): Promise<Workload[]> {
  const lines: HttpConnection[] = [];
  const send = async (connection: number, request: Buffer): Promise<void> => {
    // A service closes idle connections while the other one is measured.
    if (lines[connection]?.isOpen() !== true) lines[connection] = await openConnection(version.target);
    const status = (await lines[connection]?.send(request)) ?? 0;
    if (status < 200 || status >= 300) throw new Error(`${version.name} answered with ${status}.`);
  };
  const rows = await createEach(connections, () => createRows(version));
  const listeners = await createEach(connections, () => createListener(version, receiver.url));
  const swarms = await createEach(connections, () => createConversations(version));
  const table = (name: string, requestOf: (rows: Rows) => HttpRequest): Workload => {
    const requests = rows.map((own) => renderRequest(version.target, requestOf(own)));
    return { name, connections, work: (connection) => send(connection, requests[connection] ?? Buffer.alloc(0)) };
  };
  const list = `order=created_at.desc&limit=${LIST_LIMIT}`;
  const insertion = (headers: User["headers"]): HttpRequest => ({
    method: "POST",
    path: "/rest/v1/agents?select=*",
    headers: { ...headers, prefer: "return=representation" },
    body: JSON.stringify(NEW_AGENT),
  });
  const insertions = listeners.map(({ headers }) => renderRequest(version.target, insertion(headers)));
  const runsOf = Array.from({ length: connections }, () => 0);
  const run = (connection: number): Promise<void> => {
    const requests = swarms[connection] ?? [];
    const runs = runsOf[connection] ?? 0;
    runsOf[connection] = runs + 1;
    return send(connection, requests[Math.floor(runs / RUNS_OF_CONVERSATION) % requests.length] ?? Buffer.alloc(0));
  };
  return [
    table("read one", ({ user, agentId }) => ({
      method: "GET",
      path: `/rest/v1/agents?select=*&id=eq.${agentId}`,
      headers: user.headers,
    })),
    table("list 20", ({ user }) => ({
      method: "GET",
      path: `/rest/v1/agents?select=*&${list}`,
      headers: user.headers,
    })),
    table("list 20 with tools", ({ user }) => ({
      method: "GET",
      path: `/rest/v1/agents?select=*,agent_tools(tool:tools(*))&${list}`,
      headers: user.headers,
    })),
    table("insert", ({ user }) => insertion(user.headers)),
    table("update", ({ user, agentId }) => ({
      method: "PATCH",
      path: `/rest/v1/agents?select=*&id=eq.${agentId}`,
      headers: { ...user.headers, prefer: "return=representation" },
      body: JSON.stringify(CHANGE),
    })),
    {
      name: "insert, until its webhook is delivered",
      connections,
      work: (connection) => send(connection, insertions[connection] ?? Buffer.alloc(0)),
      settle: async (operations) => {
        for (let received = 0; received < operations; received += await receiver.count()) await sleep(RECEIVED_POLL_MS);
      },
    },
    { name: `runs, ${connections} connections`, connections, work: run },
    { name: "runs, one at a time", connections: 1, work: run },
  ];
}

interface Rows {
  readonly user: User;
  readonly agentId: string;
}

async function createRows(version: Version): Promise<Rows> {
  const user = await version.signUp();
  const agents = Array.from({ length: LIST_LIMIT }, () => NEW_AGENT);
  const agentIds = await version.insert(user, "agents", agents);
  const tools = Array.from({ length: TOOLS_PER_AGENT }, (_, number) => ({
    name: `tool_${number}`,
    description: "Looks up an order by its number.",
    input_schema: { type: "object", properties: { number: { type: "string" } } },
    kind: "http",
    config: { method: "GET", url: "https://shop.example.com/api/orders/{number}" },
  }));
  const toolIds = await version.insert(user, "tools", tools);
  const assigned = agentIds.flatMap((agentId) => toolIds.map((toolId) => ({ agent_id: agentId, tool_id: toolId })));
  await version.insert(user, "agent_tools", assigned);
  return { user, agentId: agentIds[0] ?? "" };
}

async function createListener(version: Version, url: string): Promise<User> {
  const user = await version.signUp();
  await version.insert(user, "webhooks", [{ name: "bench", url, events: ["agent.created"] }]);
  return user;
}

async function createConversations(version: Version): Promise<Buffer[]> {
  const user = await version.signUp();
  const numbers = Array.from({ length: SWARMS_PER_CONNECTION }, (_, number) => number);
  const [agentId] = await version.insert(user, "agents", [
    { name: "Agent", framework: "provider_a", system_prompt: writeScript(SCRIPT) },
  ]);
  const swarms = numbers.map((number) => ({ name: `Swarm ${number}` }));
  const swarmIds = await version.insert(user, "swarms", swarms);
  const places = swarmIds.map((swarmId) => ({ swarm_id: swarmId, agent_id: agentId, position: 0 }));
  await version.insert(user, "swarm_agents", places);
  return swarmIds.map((swarmId) =>
    renderRequest(version.target, {
      method: "POST",
      path: "/functions/v1/agent-respond",
      headers: user.headers,
      body: JSON.stringify({ swarm_id: swarmId, message: "Go on." }),
    }),
  );
}

async function createEach<T>(count: number, create: () => Promise<T>): Promise<T[]> {
  const created: T[] = [];
  for (let number = 0; number < count; number += 1) created.push(await create());
  return created;
}
