import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { FairQueue } from "../src/index.ts";

interface Item {
  readonly key: string;
  readonly name: string;
  readonly isShared: boolean;
  readonly isLong: boolean;
}

type SharedItem = Item & { readonly isShared: true };

const isShared = (item: Item): item is SharedItem => item.isShared;

/** `a1` is the first item of key a; `a1+` can share a permit, `a1*` is long. */
function read(name: string): Item {
  return { key: name[0] ?? "", name, isShared: name.endsWith("+"), isLong: name.endsWith("*") };
}

interface Limits {
  readonly permits: number;
  readonly max: number;
  readonly maxLong?: number;
}

function open(names: string, { permits, max, maxLong = max }: Limits): FairQueue<Item> {
  const queue = new FairQueue<Item>({ permits, maxHeldBy: () => max, maxLongHeldBy: () => maxLong });
  for (const name of names.split(" ")) queue.add(read(name));
  return queue;
}

/** Takes items until no more may start. */
function takeAll(queue: FairQueue<Item>): string {
  const names: string[] = [];
  for (let item = queue.take(); item !== null; item = queue.take()) names.push(item.name);
  return names.join(" ");
}

describe("FairQueue", () => {
  const TURNS: readonly { waiting: string; permits: number; max: number; taken: string }[] = [
    { waiting: "a1 a2 a3", permits: 3, max: 3, taken: "a1 a2 a3" },
    { waiting: "a1 a2 a3", permits: 3, max: 1, taken: "a1" },
    { waiting: "a1 a2 a3 b1 c1", permits: 3, max: 3, taken: "a1 b1 c1" },
    { waiting: "a1 a2 a3 b1 c1", permits: 4, max: 3, taken: "a1 b1 c1 a2" },
    { waiting: "a1 a2 b1 b2 c1 c2", permits: 5, max: 2, taken: "a1 b1 c1 a2 b2" },
    { waiting: "a1 a2 a3 a4 b1", permits: 10, max: 2, taken: "a1 b1 a2" },
  ];
  for (const { waiting, permits, max, taken } of TURNS) {
    it(`gives ${permits} permits, at most ${max} per key, of ${waiting} to ${taken}`, () => {
      assert.equal(takeAll(open(waiting, { permits, max })), taken);
    });
  }

  it("prefers a key that holds nothing to one whose turn came first", () => {
    const queue = open("a1 a2", { permits: 2, max: 2 });
    assert.equal(queue.take()?.name, "a1");
    queue.add(read("b1"));
    assert.equal(queue.take()?.name, "b1");
  });

  it("lets short items pass long ones of their key that may not start yet", () => {
    const queue = open("a1* a2* a3 a4 b1* b2*", { permits: 10, max: 2, maxLong: 1 });
    assert.equal(takeAll(queue), "a1* b1* a3");
    queue.leave({ key: "a" });
    queue.free();
    assert.equal(takeAll(queue), "a4");
    queue.leave({ key: "a", isLong: true });
    queue.free();
    assert.equal(takeAll(queue), "a2*");
    assert.equal(queue.tryTake({ key: "b", isLong: true }), false);
    assert.equal(queue.tryTake({ key: "b" }), true);
    assert.equal(queue.tryTake({ key: "b" }), false);
  });

  it("gives a permit that is returned to the key that waits, also when another key has more items", () => {
    const queue = open("a1 a2 a3 a4", { permits: 2, max: 2 });
    takeAll(queue);
    queue.add(read("b1"));
    queue.leave({ key: "a" });
    queue.free();
    assert.equal(takeAll(queue), "b1");
  });

  const GROUPS: readonly { waiting: string; max: number; joined: string }[] = [
    { waiting: "a1+ b1+ c1+ d1+ e1+", max: 2, joined: "b1+ c1+ d1+" },
    { waiting: "a1+ a2+ b1+ c1+ d1+", max: 2, joined: "b1+ c1+ d1+" },
    { waiting: "a1+ a2+ a3+ b1+ b2+", max: 2, joined: "b1+ a2+ a3+" },
    { waiting: "a1+ a2+ a3+ a4+ a5+", max: 2, joined: "a2+ a3+ a4+" },
    { waiting: "a1+ a2+ b1", max: 2, joined: "" },
    { waiting: "a1+ a2 b1 b2+", max: 2, joined: "b2+" },
  ];
  for (const { waiting, max, joined } of GROUPS) {
    it(`lets ${joined === "" ? "nobody" : joined} join the permit of the first of ${waiting}`, () => {
      const queue = open(waiting, { permits: 1, max });
      const first = queue.take();
      assert.ok(first !== null);
      const names = queue.join(first, 3, isShared).map(({ name }) => name);
      assert.equal(names.join(" "), joined);
    });
  }

  it("does not let a key that holds its share join", () => {
    const queue = open("b1 b2+", { permits: 2, max: 1 });
    assert.equal(queue.take()?.name, "b1");
    queue.add(read("a1+"));
    const first = queue.take();
    assert.equal(first?.name, "a1+");
    assert.deepEqual(queue.join(read("a1+"), 3, isShared), []);
  });

  it("evicts the latest item of the longest queue", () => {
    const queue = open("a1 b1 b2 b3 c1 c2", { permits: 1, max: 1 });
    assert.equal(queue.evict(() => true)?.name, "b3");
    assert.equal(queue.evict((key) => key !== "b")?.name, "c2");
    assert.equal(
      queue.evict(() => false),
      null,
    );
    assert.equal(queue.size, 4);
  });

  it("never exceeds its limits, never idles while an item may start, and keeps the order of a key", () => {
    const key = fc.constantFrom("a", "b", "c", "d");
    const step = fc.oneof(
      fc.record({ kind: fc.constant("add" as const), key, isShared: fc.boolean(), isLong: fc.boolean() }),
      fc.record({ kind: fc.constant("end" as const), index: fc.nat(9) }),
      fc.record({ kind: fc.constant("remove" as const), index: fc.nat(9) }),
    );
    const few = fc.integer({ min: 1, max: 4 });
    const limits = fc.record({ permits: few, max: few, maxLong: few });
    fc.assert(
      fc.property(limits, fc.array(step, { maxLength: 60 }), ({ permits, max, maxLong }, steps) => {
        const queue = new FairQueue<Item>({ permits, maxHeldBy: () => max, maxLongHeldBy: () => maxLong });
        let waiting: Item[] = [];
        const groups: Item[][] = [];
        const heldBy = (name: string): number =>
          groups.filter((group) => group.some((item) => item.key === name)).length;
        const heldLongBy = (name: string): number =>
          groups.filter(([first]) => first?.key === name && first.isLong).length;
        const mayStart = ({ key: name, isLong }: Item): boolean =>
          heldBy(name) < max && (!isLong || heldLongBy(name) < maxLong);
        const start = (group: Item[]): void => {
          const isOtherIgnored = waiting.some((item) => !group.includes(item) && item.key !== group[0]?.key);
          for (const item of group) {
            const earlier = waiting.slice(0, waiting.indexOf(item)).filter((other) => other.key === item.key);
            assert.ok(
              earlier.every((other) => group.includes(other) || (item.isShared && !other.isShared) || !mayStart(other)),
              "an earlier item of the key still waits",
            );
          }
          if (isOtherIgnored && group.length > 1) {
            const isEligible = (item: Item): boolean => heldBy(item.key) < max;
            const others = waiting.filter((item) => !group.some((member) => member.key === item.key));
            const keys = group.map((item) => item.key);
            if (others.some(isEligible)) assert.equal(new Set(keys).size, keys.length, "a key has two places");
          }
          waiting = waiting.filter((item) => !group.includes(item));
          groups.push(group);
        };
        for (const [index, one] of steps.entries()) {
          if (one.kind === "add") {
            const item = {
              key: one.key,
              name: String(index),
              isShared: one.isShared,
              isLong: one.isLong && !one.isShared,
            };
            waiting.push(item);
            queue.add(item);
          } else if (one.kind === "remove") {
            const [item] = waiting.splice(one.index, 1);
            if (item !== undefined) assert.ok(queue.remove(item));
          } else {
            const [group = []] = groups.splice(one.index, 1);
            const isLong = group[0]?.isLong === true;
            for (const name of new Set(group.map((item) => item.key))) queue.leave({ key: name, isLong });
            if (group.length > 0) queue.free();
          }
          for (let item = queue.take(); item !== null; item = queue.take())
            start(item.isShared ? [item, ...queue.join(item, 3, isShared)] : [item]);
          assert.ok(groups.length <= permits);
          assert.equal(queue.size, waiting.length);
          for (const name of ["a", "b", "c", "d"]) {
            assert.ok(heldBy(name) <= max);
            assert.ok(heldLongBy(name) <= maxLong);
            assert.equal(queue.countWaiting(name), waiting.filter((item) => item.key === name).length);
          }
          if (groups.length < permits)
            assert.ok(!waiting.some(mayStart), "a permit is free, and an item that may have it waits");
        }
      }),
      { numRuns: 300 },
    );
  });
});
