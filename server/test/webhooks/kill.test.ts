import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { NodeProcessOrder } from "./support/node-process.ts";
import { RECEIVER_CA, startReceiver } from "./support/receiver.ts";
import { openStage, type Stage, until } from "./support/stage.ts";

const NODE_PROCESS = fileURLToPath(new URL("./support/node-process.ts", import.meta.url));
const ROUNDS = 6;
const EVENTS_PER_ROUND = 150;
const LEASE_MS = 1_000;

interface NodeProcess {
  kill(): Promise<void>;
}

function startNode({ database, closers }: Stage): NodeProcess {
  const child = fork(NODE_PROCESS, {
    execArgv: ["-C", "swarmbase-source"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const order: NodeProcessOrder = {
    url: database.adminUrl,
    masterKey: database.masterKey,
    ca: RECEIVER_CA,
    leaseMs: LEASE_MS,
  };
  child.send(order);
  const kill = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await exited;
  };
  closers.after(kill);
  return { kill };
}

test("kill -9 in the middle, again and again: everything arrives, with the same bytes and ids", async (t) => {
  const stage = await openStage(t);
  const receiver = await startReceiver(t);
  const user = await stage.newUser();
  await stage.sql.query("update private.settings set value = '0' where name = 'agent_limit_per_user'");
  for (const path of ["a", "b", "c"]) await stage.newWebhook(user, `${receiver.url}/${path}`);
  const agents: string[] = [];

  for (let round = 0; round < ROUNDS; round += 1) {
    const seen = receiver.received.length;
    const node = startNode(stage);
    agents.push(...(await stage.newAgents(user, EVENTS_PER_ROUND)));
    // Far from the end of the round's work, and at another place every time.
    await receiver.waitFor(seen + 20 + round * 30);
    await node.kill();
  }
  const held = await stage.rows("select 1 from private.webhook_queue where claim is not null");
  assert.ok(held.length > 0, "the last node died with claims in its hands");

  startNode(stage);
  await until(async () => {
    const [left] = await stage.rows<{ count: number }>(
      `select (select count(*) from private.webhook_queue) + (select count(*) from private.events) as count`,
    );
    return Number(left?.count) === 0;
  }, "nothing is left to do");

  const bodies = new Map<string, Set<string>>();
  const arrived = new Map<string, Set<string>>();
  for (const { path, headers, body } of receiver.received) {
    const delivery = String(headers["x-service-delivery"]);
    bodies.set(delivery, (bodies.get(delivery) ?? new Set()).add(body));
    const { data } = JSON.parse(body) as { data: { agent_id: string } };
    arrived.set(path, (arrived.get(path) ?? new Set()).add(data.agent_id));
  }
  for (const [delivery, versions] of bodies) assert.equal(versions.size, 1, `one body of ${delivery}`);
  for (const path of ["/a", "/b", "/c"]) assert.deepEqual(arrived.get(path), new Set(agents));
  assert.equal(bodies.size, agents.length * 3, "no delivery was made twice");
  const statuses = await stage.rows("select status, count(*)::integer from public.webhook_deliveries group by status");
  assert.deepEqual(statuses, [{ status: "delivered", count: agents.length * 3 }]);
  t.diagnostic(`${receiver.received.length - bodies.size} of ${bodies.size} deliveries were sent twice`);
});
