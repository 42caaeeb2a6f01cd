import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { HeldDelivery } from "../../src/webhooks/dispatcher/held-delivery.ts";
import { Lanes } from "../../src/webhooks/dispatcher/lanes.ts";

let counter = 0;
function hold(webhookId: string, userId = webhookId): HeldDelivery {
  counter += 1;
  return {
    delivery: {
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
    },
    batch: { claim: "", broken: new AbortController() },
    runAt: "",
    sendWindow: null,
    sendUntilMs: Number.POSITIVE_INFINITY,
    leasedUntilMs: 0,
    isSent: false,
    state: "waiting",
  };
}

const many = (count: number, webhookId: string, userId = webhookId): HeldDelivery[] =>
  Array.from({ length: count }, () => hold(webhookId, userId));

function takeAll(lanes: Lanes): HeldDelivery[] {
  const taken: HeldDelivery[] = [];
  for (let held = lanes.takeNext(); held !== null; held = lanes.takeNext()) taken.push(held);
  return taken;
}

const countBy = (held: readonly HeldDelivery[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { delivery } of held) counts[delivery.webhookId] = (counts[delivery.webhookId] ?? 0) + 1;
  return counts;
};

describe("lanes", () => {
  test("bound the requests to one endpoint", () => {
    const lanes = new Lanes({ concurrency: 100, endpointConcurrency: 3 });
    lanes.add([...many(10, "a"), ...many(2, "b")], new Map(), 0);
    const taken = takeAll(lanes);
    assert.deepEqual(countBy(taken), { a: 3, b: 2 });
    const [first] = taken;
    assert.ok(first);
    lanes.endSending(first, true);
    assert.deepEqual(countBy(takeAll(lanes)), { a: 1 });
  });

  test("take turns", () => {
    const lanes = new Lanes({ concurrency: 4, endpointConcurrency: 4 });
    lanes.add([...many(4, "a"), ...many(4, "b"), ...many(4, "c")], new Map(), 0);
    assert.deepEqual(
      takeAll(lanes).map(({ delivery }) => delivery.webhookId),
      ["a", "b", "c", "a"],
    );
  });

  test("leave half of all requests to other users", () => {
    const lanes = new Lanes({ concurrency: 8, endpointConcurrency: 8 });
    lanes.add([...many(8, "a", "u"), ...many(8, "b", "u")], new Map(), 0);
    const taken = takeAll(lanes);
    assert.equal(taken.length, 4);
    lanes.add(many(8, "c", "v"), new Map(), 0);
    assert.deepEqual(countBy(takeAll(lanes)), { c: 4 });
    for (const held of taken) lanes.endSending(held, true);
    assert.equal(takeAll(lanes).length, 4, "what was blocked goes on");
  });

  test("try an endpoint that does not answer one request at a time, and believe it again when it does", () => {
    const lanes = new Lanes({ concurrency: 100, endpointConcurrency: 4 });
    lanes.add(many(20, "a"), new Map(), 0);
    const taken = takeAll(lanes);
    assert.equal(taken.length, 4);
    for (const held of taken) lanes.endSending(held, false);
    const [only, ...others] = takeAll(lanes);
    assert.ok(only);
    assert.equal(others.length, 0);
    lanes.endSending(only, null);
    const [next, ...more] = takeAll(lanes);
    assert.ok(next);
    assert.equal(more.length, 0, "a request that was broken off says nothing");
    lanes.endSending(next, true);
    assert.equal(takeAll(lanes).length, 4);
  });

  test("keep silent endpoints from taking every request", () => {
    const lanes = new Lanes({ concurrency: 4, endpointConcurrency: 1 });
    for (const id of ["a", "b", "c", "d"]) {
      for (let round = 0; round < 3; round += 1) {
        lanes.add([hold(id)], new Map(), 0);
        for (const held of takeAll(lanes)) {
          lanes.endSending(held, false);
          lanes.remove(held);
        }
      }
    }
    lanes.add(
      ["a", "b", "c", "d"].map((id) => hold(id)),
      new Map(),
      0,
    );
    assert.equal(takeAll(lanes).length, 2);
    lanes.add([hold("well"), hold("fine")], new Map(), 0);
    assert.deepEqual(countBy(takeAll(lanes)), { well: 1, fine: 1 });
  });

  test("have a larger window for an endpoint that drains fast", () => {
    const lanes = new Lanes({ concurrency: 100, endpointConcurrency: 4 });
    const windows: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      const room = lanes.roomByLane().get("a") ?? 4;
      windows.push(room);
      lanes.add(many(room, "a"), new Map([["a", room]]), round * 10);
      for (let taken = takeAll(lanes); taken.length > 0; taken = takeAll(lanes)) {
        for (const held of taken) {
          lanes.endSending(held, true);
          lanes.remove(held);
        }
      }
    }
    assert.deepEqual(windows, [4, 4, 8, 16, 32, 64, 128, 256]);
    lanes.add(many(1, "a"), new Map([["a", 128]]), 10_000);
    assert.equal(lanes.roomByLane().get("a"), 3);
  });

  test("have room for more while what was sent waits for its record only", () => {
    const lanes = new Lanes({ concurrency: 100, endpointConcurrency: 4 });
    lanes.add(many(4, "a"), new Map(), 0);
    const sent = takeAll(lanes);
    assert.equal(lanes.roomByLane().get("a"), 0);
    for (const held of sent) lanes.endSending(held, true);
    assert.equal(lanes.roomByLane().get("a"), 4);
    lanes.add(many(3, "a"), new Map([["a", 4]]), 1_000);
    for (const held of sent) lanes.remove(held);
    assert.equal(lanes.roomByLane().get("a"), 0, "three of four are still to be sent");
  });

  test("keep the window of an endpoint that is claimed for again before it has drained", () => {
    const lanes = new Lanes({ concurrency: 100, endpointConcurrency: 4 });
    lanes.add(many(4, "a"), new Map(), 0);
    takeAll(lanes);
    assert.equal(lanes.hasLaneToRefill(), false);
    assert.equal(lanes.roomByLane().get("a"), 0);
  });

  test("take a lane that had nothing for a claim as empty", () => {
    const lanes = new Lanes({ concurrency: 100, endpointConcurrency: 4 });
    lanes.add(many(4, "a"), new Map(), 0);
    for (const held of takeAll(lanes)) {
      lanes.endSending(held, true);
      lanes.remove(held);
    }
    assert.equal(lanes.hasLaneToRefill(), true);
    lanes.add([], new Map([["a", 4]]), 0);
    assert.equal(lanes.hasLaneToRefill(), false);
  });

  test("say when a lane with more to come has room again", () => {
    const lanes = new Lanes({ concurrency: 100, endpointConcurrency: 4 });
    lanes.add(many(4, "a"), new Map(), 0);
    assert.equal(lanes.roomByLane().get("a"), 0);
    const answers = takeAll(lanes).map((held) => {
      lanes.endSending(held, true);
      return lanes.remove(held);
    });
    assert.deepEqual(answers, [false, true, true, true]);
    assert.equal(lanes.heldCount, 0);
  });

  test("set aside what must not be sent", () => {
    const lanes = new Lanes({ concurrency: 100, endpointConcurrency: 1 });
    lanes.add([...many(3, "a"), ...many(2, "b")], new Map(), 0);
    assert.equal(takeAll(lanes).length, 2);
    const aside = lanes.setAside("a");
    assert.equal(aside.length, 2);
    assert.equal(lanes.heldCount, 5);
    for (const held of aside) lanes.remove(held);
    assert.equal(lanes.heldCount, 3);
    assert.equal(lanes.setAside().length, 1);
  });

  test("give fresh deliveries a share of the room that is left", () => {
    const lanes = new Lanes({ concurrency: 64, endpointConcurrency: 4 });
    const { laneShare, laneRoom } = lanes.freshShares(lanes.freeRoom(), 0);
    assert.equal(laneShare, 64);
    assert.equal(laneRoom.size, 0);
    lanes.addFresh(many(64, "a"), { laneShare, laneRoom }, true, 0);
    const later = lanes.freshShares(lanes.freeRoom(), 0);
    assert.equal(later.laneShare, 48);
    assert.deepEqual(later.laneRoom, new Map([["a", 0]]));
    assert.deepEqual(countBy(takeAll(lanes)), { a: 4 }, "requests stay bounded as ever");
  });

  test("leave room for the next endpoint, however many hold on to theirs", () => {
    const lanes = new Lanes({ concurrency: 64, endpointConcurrency: 4 });
    for (let lane = 0; lane < 200; lane += 1) {
      const shares = lanes.freshShares(lanes.freeRoom(), 0);
      lanes.addFresh(many(Math.min(shares.laneShare, lanes.freeRoom()), `${lane}`), shares, true, 0);
      if (lane < 100) assert.ok(lanes.freeRoom() > 0, `after ${lane + 1} endpoints`);
    }
  });

  test("know after fresh deliveries which lanes have more to come", () => {
    const lanes = new Lanes({ concurrency: 64, endpointConcurrency: 4 });
    const shares = { laneShare: 2, laneRoom: new Map([["b", 0]]) };
    lanes.addFresh([...many(2, "a"), ...many(1, "c")], shares, false, 0);
    for (const held of takeAll(lanes)) lanes.endSending(held, true);
    assert.equal(lanes.hasLaneToRefill(), true);
    lanes.add([], new Map([["a", 2]]), 0);
    assert.equal(lanes.hasLaneToRefill(), false);
  });

  test("try a silent endpoint with one fresh delivery at most", () => {
    const lanes = new Lanes({ concurrency: 64, endpointConcurrency: 4 });
    lanes.add(many(4, "a"), new Map(), 0);
    for (const held of takeAll(lanes)) {
      lanes.endSending(held, false);
      lanes.remove(held);
    }
    assert.equal(lanes.freshShares(lanes.freeRoom(), 0).laneRoom.get("a"), 1);
  });

  test("give an endpoint that is quick more fresh deliveries, whatever the database has still to record", () => {
    const lanes = new Lanes({ concurrency: 64, endpointConcurrency: 4 });
    lanes.addFresh(many(64, "a"), { laneShare: 64, laneRoom: new Map() }, true, 0);
    for (let round = 0; round < 10; round += 1) {
      for (const held of takeAll(lanes)) {
        lanes.endSending(held, true);
        lanes.remove(held);
      }
    }
    assert.equal(lanes.freshShares(lanes.freeRoom(), 2_000).laneRoom.get("a"), 58 - 24, "not if it took long");
    assert.equal(lanes.freshShares(lanes.freeRoom(), 20).laneRoom.get("a"), 80 - 24);
    for (const held of takeAll(lanes)) lanes.endSending(held, true);
    assert.equal(lanes.freshShares(lanes.freeRoom(), 20).laneRoom.get("a"), 80 - 20);
  });

  test("say that an endpoint with plenty is soon through with it, and no longer when it is not", () => {
    const lanes = new Lanes({ concurrency: 64, endpointConcurrency: 4 });
    assert.equal(lanes.isCatchingUp(0), false);
    lanes.addFresh(many(3, "few"), { laneShare: 64, laneRoom: new Map() }, true, 0);
    assert.equal(lanes.isCatchingUp(1), false, "a few are nothing to wait for");
    lanes.addFresh(many(65, "a"), { laneShare: 65, laneRoom: new Map() }, true, 0);
    assert.equal(lanes.isCatchingUp(10), true);
    assert.equal(lanes.isCatchingUp(60), false, "it has done nothing since");
    for (const held of takeAll(lanes)) {
      lanes.endSending(held, false);
      lanes.remove(held);
    }
    assert.equal(lanes.isCatchingUp(10), false, "it does not answer");
  });

  test("say with the end of a request that a lane with more to come has room", () => {
    const lanes = new Lanes({ concurrency: 100, endpointConcurrency: 4 });
    lanes.add(many(4, "a"), new Map(), 0);
    assert.deepEqual(
      takeAll(lanes).map((held) => lanes.endSending(held, true)),
      [false, true, true, true],
    );
  });
});
