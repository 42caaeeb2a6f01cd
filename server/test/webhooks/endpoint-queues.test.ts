import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { EndpointQueues } from "../../src/webhooks/dispatcher/endpoint-queues.ts";
import type { HeldDelivery } from "../../src/webhooks/dispatcher/held-delivery.ts";

let counter = 0;
function hold(webhookId: string, userId = webhookId): HeldDelivery {
  counter += 1;
  return {
    id: `delivery ${counter}`,
    webhookId,
    userId,
    eventId: "",
    eventType: "",
    body: "",
    attempts: 0,
    attemptsBefore: 0,
    cause: "schedule",
    url: "",
    secret: "",
    previousSecrets: [],
    headers: {},
    maxRetries: 3,
    timeoutMs: 1,
    claim: "",
    cancel: new AbortController(),
    runAt: "",
    windowOpenedAt: null,
    windowLeftMs: null,
    traceparent: null,
    sendUntilMs: Number.POSITIVE_INFINITY,
    leasedUntilMs: 0,
    isSent: false,
    state: "waiting",
  };
}

const many = (count: number, webhookId: string, userId = webhookId): HeldDelivery[] =>
  Array.from({ length: count }, () => hold(webhookId, userId));

function takeAll(queues: EndpointQueues): HeldDelivery[] {
  const taken: HeldDelivery[] = [];
  for (let held = queues.takeNext(); held !== null; held = queues.takeNext()) taken.push(held);
  return taken;
}

/** Adds the result of a claim. */
function addClaimed(
  queues: EndpointQueues,
  deliveries: readonly HeldDelivery[],
  capacityByWebhook: ReadonlyMap<string, number> = new Map(),
  nowMs = 0,
): void {
  const { endpointCapacity } = queues.findCapacity();
  queues.add(deliveries, { endpointCapacity, capacityByWebhook }, nowMs);
}

const countBy = (held: readonly HeldDelivery[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { webhookId } of held) counts[webhookId] = (counts[webhookId] ?? 0) + 1;
  return counts;
};

describe("endpoint queues", () => {
  test("endpoint queues limit the requests to one endpoint", () => {
    const queues = new EndpointQueues({ concurrency: 100, endpointConcurrency: 3 });
    addClaimed(queues, [...many(10, "a"), ...many(2, "b")]);
    const taken = takeAll(queues);
    assert.deepEqual(countBy(taken), { a: 3, b: 2 });
    const [first] = taken;
    assert.ok(first);
    queues.endSending(first, true);
    assert.deepEqual(countBy(takeAll(queues)), { a: 1 });
  });

  test("endpoint queues send in turn", () => {
    const queues = new EndpointQueues({ concurrency: 4, endpointConcurrency: 4 });
    addClaimed(queues, [...many(4, "a"), ...many(4, "b"), ...many(4, "c")]);
    assert.deepEqual(
      takeAll(queues).map(({ webhookId }) => webhookId),
      ["a", "b", "c", "a"],
    );
  });

  test("one user gets at most half of all requests", () => {
    const queues = new EndpointQueues({ concurrency: 8, endpointConcurrency: 8 });
    addClaimed(queues, [...many(8, "a", "u"), ...many(8, "b", "u")]);
    const taken = takeAll(queues);
    assert.equal(taken.length, 4);
    addClaimed(queues, many(8, "c", "v"));
    assert.deepEqual(countBy(takeAll(queues)), { c: 4 });
    for (const held of taken) queues.endSending(held, true);
    assert.equal(takeAll(queues).length, 4, "blocked queues continue");
  });

  test("an endpoint that does not answer gets one request at a time until it answers", () => {
    const queues = new EndpointQueues({ concurrency: 100, endpointConcurrency: 4 });
    addClaimed(queues, many(20, "a"));
    const taken = takeAll(queues);
    assert.equal(taken.length, 4);
    for (const held of taken) queues.endSending(held, false);
    const [only, ...others] = takeAll(queues);
    assert.ok(only);
    assert.equal(others.length, 0);
    queues.endSending(only, null);
    const [next, ...more] = takeAll(queues);
    assert.ok(next);
    assert.equal(more.length, 0, "a cancelled request changes nothing");
    queues.endSending(next, true);
    assert.equal(takeAll(queues).length, 4);
  });

  test("endpoints that do not answer get at most half of all requests", () => {
    const queues = new EndpointQueues({ concurrency: 4, endpointConcurrency: 1 });
    for (const id of ["a", "b", "c", "d"]) {
      for (let round = 0; round < 3; round += 1) {
        addClaimed(queues, [hold(id)]);
        for (const held of takeAll(queues)) {
          queues.endSending(held, false);
          queues.remove(held);
        }
      }
    }
    addClaimed(
      queues,
      ["a", "b", "c", "d"].map((id) => hold(id)),
    );
    assert.equal(takeAll(queues).length, 2);
    addClaimed(queues, [hold("well"), hold("fine")]);
    assert.deepEqual(countBy(takeAll(queues)), { well: 1, fine: 1 });
  });

  test("the window of an endpoint that drains fast grows", () => {
    const queues = new EndpointQueues({ concurrency: 100, endpointConcurrency: 4 });
    const windows: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      const capacity = queues.findCapacity().capacityByWebhook.get("a") ?? 4;
      windows.push(capacity);
      addClaimed(queues, many(capacity, "a"), new Map([["a", capacity]]), round * 10);
      for (let taken = takeAll(queues); taken.length > 0; taken = takeAll(queues)) {
        for (const held of taken) {
          queues.endSending(held, true);
          queues.remove(held);
        }
      }
    }
    assert.deepEqual(windows, [4, 4, 8, 16, 32, 64, 128, 256]);
    addClaimed(queues, many(1, "a"), new Map([["a", 128]]), 10_000);
    assert.equal(queues.findCapacity().capacityByWebhook.get("a"), 3);
  });

  test("answered deliveries that wait to be recorded do not use capacity", () => {
    const queues = new EndpointQueues({ concurrency: 100, endpointConcurrency: 4 });
    addClaimed(queues, many(4, "a"));
    const sent = takeAll(queues);
    assert.equal(queues.findCapacity().capacityByWebhook.get("a"), 0);
    for (const held of sent) queues.endSending(held, true);
    assert.equal(queues.findCapacity().capacityByWebhook.get("a"), 4);
    addClaimed(queues, many(3, "a"), new Map([["a", 4]]), 1_000);
    for (const held of sent) queues.remove(held);
    assert.equal(queues.findCapacity().capacityByWebhook.get("a"), 0, "three of four are still to be sent");
  });

  test("a queue that has not drained has no capacity for a claim", () => {
    const queues = new EndpointQueues({ concurrency: 100, endpointConcurrency: 4 });
    addClaimed(queues, many(4, "a"));
    takeAll(queues);
    assert.equal(queues.hasQueueToRefill(), false);
    assert.equal(queues.findCapacity().capacityByWebhook.get("a"), 0);
  });

  test("a queue for which a claim finds nothing has no more deliveries", () => {
    const queues = new EndpointQueues({ concurrency: 100, endpointConcurrency: 4 });
    addClaimed(queues, many(4, "a"));
    for (const held of takeAll(queues)) {
      queues.endSending(held, true);
      queues.remove(held);
    }
    assert.equal(queues.hasQueueToRefill(), true);
    addClaimed(queues, [], new Map([["a", 4]]), 0);
    assert.equal(queues.hasQueueToRefill(), false);
  });

  test("remove reports when a queue with more deliveries has capacity again", () => {
    const queues = new EndpointQueues({ concurrency: 100, endpointConcurrency: 4 });
    addClaimed(queues, many(4, "a"));
    assert.equal(queues.findCapacity().capacityByWebhook.get("a"), 0);
    const answers = takeAll(queues).map((held) => {
      queues.endSending(held, true);
      return queues.remove(held);
    });
    assert.deepEqual(answers, [false, true, true, true]);
    assert.equal(queues.heldCount, 0);
  });

  test("parked deliveries are not sent and stay held", () => {
    const queues = new EndpointQueues({ concurrency: 100, endpointConcurrency: 1 });
    addClaimed(queues, [...many(3, "a"), ...many(2, "b")]);
    assert.equal(takeAll(queues).length, 2);
    const parked = queues.park("a");
    assert.equal(parked.length, 2);
    assert.equal(queues.heldCount, 5);
    for (const held of parked) queues.remove(held);
    assert.equal(queues.heldCount, 3);
    assert.equal(queues.park().length, 1);
  });

  test("a delivery that is being sent is removed after its sending has ended, which happens once", () => {
    const queues = new EndpointQueues({ concurrency: 4, endpointConcurrency: 4 });
    const [answered, cancelled] = many(2, "one") as [HeldDelivery, HeldDelivery];
    addClaimed(queues, [answered, cancelled]);
    assert.throws(() => queues.endSending(answered, true), /while waiting/);
    takeAll(queues);
    assert.throws(() => queues.remove(answered), /while it is sent/);
    queues.endSending(answered, true);
    queues.endSending(cancelled, null);
    assert.deepEqual([answered.state, cancelled.state], ["recording", "parked"]);
    assert.throws(() => queues.endSending(cancelled, null), /while parked/);
    for (const held of [answered, cancelled, cancelled]) queues.remove(held);
    assert.deepEqual([queues.heldCount, queues.sendingCount], [0, 0]);
  });

  test("a claim on insert gets a share of the free capacity", () => {
    const queues = new EndpointQueues({ concurrency: 64, endpointConcurrency: 4 });
    const { endpointCapacity, capacityByWebhook } = queues.findInsertCapacity(queues.freeCapacity, 0);
    assert.equal(endpointCapacity, 64);
    assert.equal(capacityByWebhook.size, 0);
    queues.addInserted(many(64, "a"), { endpointCapacity, capacityByWebhook }, true, 0);
    const later = queues.findInsertCapacity(queues.freeCapacity, 0);
    assert.equal(later.endpointCapacity, 48);
    assert.deepEqual(later.capacityByWebhook, new Map([["a", 0]]));
    assert.deepEqual(countBy(takeAll(queues)), { a: 4 }, "the request limit still holds");
  });

  test("claims on insert leave capacity for the next endpoint, however many endpoints hold deliveries", () => {
    const queues = new EndpointQueues({ concurrency: 64, endpointConcurrency: 4 });
    for (let endpoint = 0; endpoint < 200; endpoint += 1) {
      const capacity = queues.findInsertCapacity(queues.freeCapacity, 0);
      queues.addInserted(
        many(Math.min(capacity.endpointCapacity, queues.freeCapacity), `${endpoint}`),
        capacity,
        true,
        0,
      );
      if (endpoint < 100) assert.ok(queues.freeCapacity > 0, `after ${endpoint + 1} endpoints`);
    }
  });

  test("a claim on insert marks the queues that have more deliveries", () => {
    const queues = new EndpointQueues({ concurrency: 64, endpointConcurrency: 4 });
    const capacity = { endpointCapacity: 2, capacityByWebhook: new Map([["b", 0]]) };
    queues.addInserted([...many(2, "a"), ...many(1, "c")], capacity, false, 0);
    for (const held of takeAll(queues)) queues.endSending(held, true);
    assert.equal(queues.hasQueueToRefill(), true);
    addClaimed(queues, [], new Map([["a", 2]]), 0);
    assert.equal(queues.hasQueueToRefill(), false);
  });

  test("an endpoint that does not answer gets at most one delivery of a claim on insert", () => {
    const queues = new EndpointQueues({ concurrency: 64, endpointConcurrency: 4 });
    addClaimed(queues, many(4, "a"));
    for (const held of takeAll(queues)) {
      queues.endSending(held, false);
      queues.remove(held);
    }
    assert.equal(queues.findInsertCapacity(queues.freeCapacity, 0).capacityByWebhook.get("a"), 1);
  });

  test("a fast endpoint gets more deliveries on insert, regardless of unrecorded ones", () => {
    const queues = new EndpointQueues({ concurrency: 64, endpointConcurrency: 4 });
    queues.addInserted(many(64, "a"), { endpointCapacity: 64, capacityByWebhook: new Map() }, true, 0);
    for (let round = 0; round < 10; round += 1) {
      for (const held of takeAll(queues)) {
        queues.endSending(held, true);
        queues.remove(held);
      }
    }
    assert.equal(
      queues.findInsertCapacity(queues.freeCapacity, 2_000).capacityByWebhook.get("a"),
      58 - 24,
      "not after a slow drain",
    );
    assert.equal(queues.findInsertCapacity(queues.freeCapacity, 20).capacityByWebhook.get("a"), 80 - 24);
    for (const held of takeAll(queues)) queues.endSending(held, true);
    assert.equal(queues.findInsertCapacity(queues.freeCapacity, 20).capacityByWebhook.get("a"), 80 - 20);
  });

  test("isCatchingUp is true while an endpoint with a backlog drains fast", () => {
    const queues = new EndpointQueues({ concurrency: 64, endpointConcurrency: 4 });
    assert.equal(queues.isCatchingUp(0), false);
    queues.addInserted(many(3, "few"), { endpointCapacity: 64, capacityByWebhook: new Map() }, true, 0);
    assert.equal(queues.isCatchingUp(1), false, "a small batch is no backlog");
    queues.addInserted(many(65, "a"), { endpointCapacity: 65, capacityByWebhook: new Map() }, true, 0);
    assert.equal(queues.isCatchingUp(10), true);
    assert.equal(queues.isCatchingUp(60), false, "it has not drained");
    for (const held of takeAll(queues)) {
      queues.endSending(held, false);
      queues.remove(held);
    }
    assert.equal(queues.isCatchingUp(10), false, "it does not answer");
  });

  test("endSending reports when a queue with more deliveries has capacity", () => {
    const queues = new EndpointQueues({ concurrency: 100, endpointConcurrency: 4 });
    addClaimed(queues, many(4, "a"));
    assert.deepEqual(
      takeAll(queues).map((held) => queues.endSending(held, true)),
      [false, true, true, true],
    );
  });
});
