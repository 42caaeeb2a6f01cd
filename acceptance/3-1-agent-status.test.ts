import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually } from "./support/eventually.ts";
import { NEEDS_RECEIVER } from "./support/given-service.ts";
import { newPerson, type Person, type Row } from "./support/people.ts";
import { disconnectAll, receiveChanges } from "./support/realtime.ts";
import { type Receiver, startReceiver } from "./support/receiver.ts";
import { assertValidationBody } from "./support/api-errors.ts";
import { add, change, read, remove, respond, SIMULATED, addSwarmAgent } from "./support/swarms.ts";
import { type Service, startService } from "./support/service.ts";
import { addWebhook } from "./support/webhooks.ts";

let service: Service;
let receiver: Receiver;
let ada: Person;

async function statusOf(agent: string): Promise<Row> {
  const [row] = await read(ada, `/agents?id=eq.${agent}&select=status,updated_at`);
  return row ?? {};
}

describe("3.1 agent status", { skip: NEEDS_RECEIVER }, () => {
  before(async () => {
    service = await startService(SIMULATED);
    receiver = await startReceiver(service);
    ada = await newPerson(service);
  });
  after(async () => {
    await disconnectAll();
    await receiver?.stop();
    await service?.stop();
  });

  test("3.1 the owner can set an agent's status to the four documented values only", async () => {
    const agent = await add(ada, "agents", { name: "Ada", status: "error" });
    assert.equal((await statusOf(agent))["status"], "idle");
    for (const status of ["thinking", "responding", "error", "idle"]) {
      await change(ada, "agents", agent, { status });
      assert.equal((await statusOf(agent))["status"], status);
    }
    for (const status of ["busy", null, 1, ""])
      assertValidationBody(await ada.send(`PATCH /agents?id=eq.${agent}`, { body: { status } }), ["status"]);
  });

  test("3.1 a run changes the agent's status, visible over REST, realtime and webhooks alike", async (t) => {
    const swarm = await add(ada, "swarms", { name: "Room" });
    const agent = await addSwarmAgent(ada, swarm, "Ada");
    const { updated_at: before } = await statusOf(agent);
    const endpoint = receiver.addEndpoint();
    const webhook = await addWebhook(ada, endpoint.url, { events: ["agent.status_changed"] });
    const receivedChanges = await receiveChanges(t, ada.client, {
      event: "UPDATE",
      schema: "public",
      table: "agents",
      filter: `id=eq.${agent}`,
    });

    const running = respond(ada, swarm, "Take your time.\n/sleep 2000");
    await eventually(
      () => statusOf(agent),
      ({ status }) => status === "thinking",
      "an agent that thinks",
    );
    const run = await running;
    const { status, updated_at } = await statusOf(agent);
    assert.deepEqual(
      [run.status, status, updated_at],
      ["completed", "idle", before],
      "the machine leaves updated_at alone",
    );

    const expected = ["thinking", "responding", "idle"];
    const changes = await receivedChanges.waitFor(expected.length);
    assert.deepEqual(
      changes.map(({ new: row }) => row["status"]),
      expected,
    );
    const received = (await endpoint.waitFor(expected.length))
      .map(({ body }) => JSON.parse(body) as { id: string; data: Row })
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      .map(({ data }) => data);
    assert.deepEqual(
      received.map(({ status: to, previous_status: from, reason }) => [from, to, reason]),
      [
        ["idle", "thinking", "run_started"],
        ["thinking", "responding", "first_token"],
        ["responding", "idle", "run_completed"],
      ],
    );
    for (const { agent_id, run_id, swarm_id } of received)
      assert.deepEqual([agent_id, run_id, swarm_id], [agent, run.run_id, swarm]);
    await remove(ada, "webhooks", webhook.id);
  });

  test("3.1 the status error stays until the next turn starts or the owner sets idle; the next turn overwrites what the owner set", async () => {
    const swarm = await add(ada, "swarms", { name: "Room" });
    const agent = await addSwarmAgent(ada, swarm, "Ada");
    const failed = await ada.send("POST /functions/v1/agent-respond", {
      body: { swarm_id: swarm, message: "/fail 5xx" },
    });
    assert.deepEqual([failed.status, failed.body["code"]], [502, "PROVIDER_ERROR"], failed.text);
    assert.equal((await statusOf(agent))["status"], "error");
    await change(ada, "agents", agent, { status: "idle" });
    assert.equal((await statusOf(agent))["status"], "idle");
    await change(ada, "agents", agent, { status: "error" });
    await respond(ada, swarm, "Again");
    assert.equal((await statusOf(agent))["status"], "idle");
  });

  test("3.1 cancelling a run sets the agent's status to idle", async () => {
    const swarm = await add(ada, "swarms", { name: "Room" });
    const agent = await addSwarmAgent(ada, swarm, "Ada");
    const call = (body: Row) => ada.send("POST /functions/v1/agent-respond", { body });
    const started = await call({ swarm_id: swarm, message: "/sleep 60000", background: true });
    assert.equal(started.status, 202, started.text);
    await eventually(
      () => statusOf(agent),
      ({ status }) => status === "thinking",
      "an agent that thinks",
    );
    const cancelled = await call({ action: "cancel", run_id: started.body["run_id"] });
    assert.ok(cancelled.status < 300, cancelled.text);
    await eventually(
      () => statusOf(agent),
      ({ status }) => status === "idle",
      "an agent that is idle",
    );
  });
});
