import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { type ExtendedService, startExtendedService, type User } from "../support/extended-service.ts";
import { until } from "../support/until.ts";

const CONCURRENCY = 4;
const SHARE = CONCURRENCY / 2;
const ENDLESS = "Never answer.";

const closers: (() => Promise<unknown>)[] = [];
const cleanup = { after: (close: () => Promise<unknown>) => void closers.unshift(close) };
/** The calls that a provider has accepted and does not answer. */
const held: ServerResponse[] = [];
let service: ExtendedService;

/** A provider that answers, except for agents whose prompt asks it not to. */
async function startProvider(): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (Buffer.concat(chunks).includes(ENDLESS)) return void held.push(response);
      const delta = { choices: [{ index: 0, delta: { content: "Here." }, finish_reason: "stop" }] };
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`data: ${JSON.stringify(delta)}\n\ndata: [DONE]\n\n`);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanup.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

async function addAgent(user: User, prompt: string): Promise<string> {
  const agent = await user.insert("agents", { name: "Ann", framework: "provider_a", system_prompt: prompt });
  return agent.id as string;
}

async function addSwarm(user: User, agentId: string): Promise<string> {
  const swarm = await user.insert("swarms", { name: "Team", settings: { timeout_ms: 600_000 } });
  await user.insert("swarm_agents", { swarm_id: swarm.id, agent_id: agentId, position: 0 });
  return swarm.id as string;
}

before(async () => {
  service = await startExtendedService(cleanup, {
    EXTENSIONS: "providers",
    AGENT_RUN_CONCURRENCY: String(CONCURRENCY),
    PROVIDER_A_KIND: "openai-compatible",
    PROVIDER_A_BASE_URL: await startProvider(),
    PROVIDER_A_API_KEY: "key",
    PROVIDER_A_MODELS: "model",
  });
});
after(async () => {
  for (const close of closers) await close();
});

describe("one user with runs that do not end", () => {
  it("has a share of the node: the further runs wait, and the runs of others are executed", async () => {
    const [attacker, victim] = [await service.signUp("attacker"), await service.signUp("victim")];
    const endless = await addAgent(attacker, ENDLESS);
    const asked = [];
    for (let number = 0; number <= CONCURRENCY; number += 1) {
      const swarm_id = await addSwarm(attacker, endless);
      asked.push(
        attacker.send("POST", "/functions/v1/agent-respond", { swarm_id, message: "Go.", background: true }, 202),
      );
    }
    await Promise.all(asked);
    await until(() => held.length >= SHARE, "the first runs have asked the model");
    const agent_id = await addAgent(victim, "Answer.");
    for (let time = 0; time < 2; time += 1) {
      const { status } = await victim.send("POST", "/functions/v1/agent-respond", { agent_id, message: "Hello?" });
      assert.equal(status, "completed");
    }
    const runs = (await attacker.send("GET", "/rest/v1/runs?select=status&order=queued_at")) as { status: string }[];
    const running = runs.filter(({ status }) => status === "running");
    assert.deepEqual([runs.length, running.length, held.length], [CONCURRENCY + 1, SHARE, SHARE]);
  });
});
