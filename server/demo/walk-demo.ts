import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { inspect } from "node:util";
import { askForAll, askForStream } from "./ask.ts";
import { showDeliveries, showForgery } from "./deliveries.ts";
import { showIsolation } from "./isolation.ts";
import { followStatus } from "./live-status.ts";
import { createNarrator, type Narrator } from "./narrator.ts";
import { type Office, openOffice } from "./office.ts";
import { add, type Person, type Row, signUp, take } from "./people.ts";

/** The second part of run-demo.ts, after its first step: everything that a client does. */
async function walk(dataDir: string): Promise<void> {
  const narrator = createNarrator(process.stdout, 2);
  const toolToken = randomUUID();
  const office = await openOffice(dataDir, toolToken);
  try {
    narrator.step("Sign up", "auth.signUp");
    const [ada, bob] = await Promise.all([signUp(dataDir, "Ada"), signUp(dataDir, "Bob")]);
    for (const { name, id } of [ada, bob]) narrator.line(`${name}  ${id}`);
    const [adasView, bobsView] = await Promise.all([followStatus(ada), followStatus(bob)]);

    const agents = await makeAgents(ada, { office, toolToken, narrator });
    const swarm = await makeSwarm(ada, agents, narrator);
    const webhook = await makeWebhook(ada, office, narrator);
    await askForAll(ada, swarm.id, narrator);
    await askForStream(ada, swarm.id, adasView, narrator);
    assert.equal(office.questions(), 1, "the tool was to ask once, with its secret");
    await showDeliveries(ada, office, narrator);
    await showForgery(office, narrator);
    const [agent] = agents;
    await showIsolation(bob, bobsView, { agent, swarm, webhook }, narrator);

    narrator.step("End", "Ctrl-C does the same at any time");
    await Promise.all([adasView.close(), bobsView.close()]);
  } finally {
    await office.close();
  }
}

async function makeAgents(
  ada: Person,
  { office, toolToken, narrator }: { office: Office; toolToken: string; narrator: Narrator },
): Promise<readonly [Row, Row]> {
  narrator.step("Two agents, one with a tool", 'from("agents"), from("tools"), from("agent_tools")');
  const clerk = await add(ada, "agents", { name: "Clerk", role: "knows the orders" });
  const critic = await add(ada, "agents", { name: "Critic", role: "doubts" });
  const tool = await add(ada, "tools", {
    name: "find_order",
    description: "Looks up an order by its number.",
    kind: "http",
    input_schema: { type: "object", properties: { number: { type: "string" } }, required: ["number"] },
    config: { method: "GET", url: office.ordersUrl, auth: { type: "bearer", secret: "api_token" } },
    secrets: { api_token: toolToken },
  });
  await add(ada, "agent_tools", { agent_id: clerk.id, tool_id: tool.id });
  for (const { name, framework, status } of [clerk, critic])
    narrator.line(`${String(name).padEnd(6)}  ${String(framework)}  ${String(status)}`);
  narrator.line(`find_order  GET ${office.ordersUrl}  secrets: ${JSON.stringify(tool["secret_names"])}`);
  return [clerk, critic];
}

async function makeSwarm(ada: Person, agents: readonly Row[], narrator: Narrator): Promise<Row> {
  narrator.step("A swarm", 'from("swarms"), from("swarm_agents")');
  const swarm = await add(ada, "swarms", { name: "Front desk" });
  const members = agents.map(({ id }) => ({ swarm_id: swarm.id, agent_id: id }));
  take(await ada.client.from("swarm_agents").insert(members));
  narrator.line(`${String(swarm["name"])}  ${String(swarm["strategy"])}  ${members.length} agents`);
  return swarm;
}

async function makeWebhook(ada: Person, office: Office, narrator: Narrator): Promise<Row> {
  narrator.step("A webhook", 'from("webhooks")');
  const events = ["message.created", "tool.executed"];
  const webhook = await add(ada, "webhooks", { name: "Office", url: office.hookUrl, events });
  office.expect(String(webhook["secret"]));
  narrator.line(`${office.hookUrl}  ${events.join(", ")}  ${String(webhook["secret"]).slice(0, 10)}…`);
  return webhook;
}

const dataDir = process.argv[2];
if (dataDir === undefined) throw new Error("swarmbase demo starts this, with the data directory of a running instance");
try {
  await walk(dataDir);
} catch (error) {
  process.stderr.write(`${inspect(error)}\n`);
  // Open sockets of the client would keep the process alive.
  process.exit(1);
}
process.exit(0);
