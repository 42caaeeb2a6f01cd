import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import { openClient, signInAgain } from "./support/clients.ts";
import { eventually } from "./support/eventually.ts";
import { findFreePort } from "./support/free-port.ts";
import { NEEDS_OWN_SERVICE } from "./support/given-service.ts";
import { newPerson } from "./support/people.ts";
import {
  type ChangesFilter,
  disconnectAll,
  newTopic,
  openChannel,
  receiveChanges,
  subscribe,
  withVersion,
} from "./support/realtime.ts";
import { openSwarm } from "./support/runs.ts";
import { startReceiver } from "./support/receiver.ts";
import { type Service, startOwnService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";
import { streamsOf } from "./support/streams.ts";
import { addAgent, addWebhook, listDeliveries, waitForStatus } from "./support/webhooks.ts";

const AGENTS: ChangesFilter = { event: "*", schema: "public", table: "agents" };
const WRITES = 5;
const STREAMS = 4;
const MAX_SOCKETS = 12;

let service: Service;
let metricsPort: string;

/** Whether both processes have sockets. */
async function areApart(): Promise<boolean> {
  const sockets = /^swarmbase_sockets\{worker="\d"\} (\d+)$/gm;
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return [...text.matchAll(sockets)].filter(([, count]) => Number(count) > 0).length === 2;
}

describe("6.5 two worker processes on one port", { skip: NEEDS_OWN_SERVICE }, () => {
  before(async () => {
    metricsPort = String(await findFreePort());
    service = await startOwnService({ ...UNLIMITED, WORKERS: "2", METRICS_PORT: metricsPort });
  });
  after(async () => {
    await disconnectAll();
    await service?.stop();
  });

  test("6.5 both send the changes that are made through either, in one order", async (t) => {
    const ada = await newPerson(service, withVersion("2.0.0"));
    const receivers = [await receiveChanges(t, ada.client, AGENTS)];
    // A socket goes to the process with the fewest connections, and requests have connections, too.
    while (!(await areApart()) && receivers.length < MAX_SOCKETS) {
      const { client } = await signInAgain(service, ada.email, withVersion("1.0.0"));
      receivers.push(await receiveChanges(t, client, AGENTS));
    }
    assert.ok(await areApart(), "both processes have sockets");
    for (let at = 0; at < WRITES; at += 1) await Promise.all([addAgent(ada, `a ${at}`), addAgent(ada, `b ${at}`)]);
    const names: unknown[][] = [];
    for (const receiver of receivers)
      names.push((await receiver.waitFor(2 * WRITES)).map(({ new: row }) => row["name"]));
    for (const received of names) assert.deepEqual(received, names[0]);
    assert.equal(new Set(names[0]).size, 2 * WRITES);
  });

  test("6.5 broadcasts and presences reach clients of the other process", async (t) => {
    const topic = newTopic();
    const [ann, ben] = [join(t, topic, "ann"), join(t, topic, "ben")];
    const events: string[] = [];
    ben.on("broadcast", { event: "*" }, ({ event }) => events.push(event));
    await Promise.all([subscribe(ann), subscribe(ben)]);
    await Promise.all([ann.track({}), ben.track({})]);
    for (const channel of [ann, ben])
      await eventually(
        () => Object.keys(channel.presenceState()).toSorted().join(),
        (keys) => keys === "ann,ben",
        "both presences",
      );
    assert.equal(await ann.send({ type: "broadcast", event: "hello", payload: {} }), "ok");
    await eventually(
      () => events,
      ({ length }) => length >= 1,
      "the broadcast",
    );
    assert.deepEqual(events, ["hello"]);
  });

  function join(t: TestContext, topic: string, key: string) {
    const config = { presence: { key }, broadcast: { ack: true } };
    const channel = openChannel(t, openClient(service, withVersion("2.0.0")), topic, config);
    return channel.on("presence", { event: "sync" }, () => {});
  }

  test("4.4 a run can be read through either process while it runs", async () => {
    const ada = await newPerson(service);
    const { swarm } = await openSwarm(ada);
    const stream = streamsOf(service, ada);
    const asked = await stream({ swarm_id: swarm, message: "Slowly\n/sleep 300" });
    const seen = await asked.until("turn.started");
    const run_id = asked.headers.get("x-run-id");
    const readers = await Promise.all(Array.from({ length: STREAMS }, () => stream({ action: "attach", run_id })));
    const whole = [...seen, ...(await asked.rest())];
    for (const reader of readers) assert.deepEqual(await reader.rest(), whole);
  });

  test("6.4 a webhook gets each event once", async () => {
    const ada = await newPerson(service);
    const receiver = await startReceiver(service);
    try {
      const endpoint = receiver.addEndpoint({ status: 200 });
      const webhook = await addWebhook(ada, endpoint.url, { events: ["agent.created"] });
      await Promise.all(Array.from({ length: WRITES }, (_, at) => addAgent(ada, `agent ${at}`)));
      await endpoint.waitFor(WRITES);
      await waitForStatus(ada, webhook, "delivered");
      await eventually(
        () => listDeliveries(ada, webhook),
        (rows) => rows.length >= WRITES && rows.every(({ status }) => status === "delivered"),
        "all deliveries",
      );
      assert.equal(endpoint.received.length, WRITES);
    } finally {
      await receiver.stop();
    }
  });
});
