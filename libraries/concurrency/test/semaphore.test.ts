import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Semaphore } from "../src/index.ts";

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Work that ends on demand. */
function openWork(semaphore: Semaphore) {
  const running: { key: string; name: string; end(): void }[] = [];
  const run = (key: string, name: string, signal?: AbortSignal): Promise<string> =>
    semaphore.run(
      () => new Promise((resolve) => running.push({ key, name, end: () => resolve(name) })),
      signal === undefined ? { key } : { key, signal },
    );
  const end = async (name: string): Promise<void> => {
    const index = running.findIndex((one) => one.name === name);
    running.splice(index, 1)[0]?.end();
    await settle();
  };
  return { running, run, end, names: () => running.map((one) => one.name) };
}

describe("Semaphore", () => {
  it("starts callers of one key in the order of arrival", async () => {
    const { run, end, names } = openWork(new Semaphore({ permits: 1 }));
    const all = ["a", "b", "c"].map((name) => run("", name));
    for (const name of ["a", "b", "c"]) {
      await settle();
      assert.deepEqual(names(), [name]);
      await end(name);
    }
    assert.deepEqual(await Promise.all(all), ["a", "b", "c"]);
  });

  it("rejects a caller when maxWaiting callers wait already, and when the wait takes longer than maxWaitMs", async () => {
    const overloadError = (): Error => new Error("come back later");
    const { run, end } = openWork(new Semaphore({ permits: 1, maxWaiting: 1, maxWaitMs: 20, overloadError }));
    const first = run("", "first");
    const late = run("", "late");
    await assert.rejects(run("", "excess"), /come back later/);
    await assert.rejects(late, /come back later/);
    const next = run("", "next");
    await end("first");
    await end("next");
    assert.deepEqual(await Promise.all([first, next]), ["first", "next"]);
  });

  it("removes a caller whose signal aborts, and rejects one that comes with an aborted signal", async () => {
    const { run, end, names } = openWork(new Semaphore({ permits: 1 }));
    const leaving = new AbortController();
    void run("", "first");
    const left = run("", "left", leaving.signal);
    void run("", "second");
    leaving.abort(new Error("left"));
    await assert.rejects(left, /left/);
    await assert.rejects(run("", "never", leaving.signal), /left/);
    await end("first");
    assert.deepEqual(names(), ["second"]);
    await end("second");
  });

  it("returns the permit of work that fails", async () => {
    const semaphore = new Semaphore({ permits: 1 });
    await assert.rejects(
      semaphore.run(() => Promise.reject(new Error("broken"))),
      /broken/,
    );
    await assert.rejects(
      semaphore.run(() => {
        throw new Error("at once");
      }),
      /at once/,
    );
    assert.equal(await semaphore.run(async () => "free"), "free");
  });

  it("serves keys in turn, so that a long queue of one key delays no other", async () => {
    const { run, end, running } = openWork(new Semaphore({ permits: 2, maxPerKey: 1 }));
    for (let index = 0; index < 100; index += 1) void run("busy", `busy ${index}`);
    for (const key of ["x", "y"]) void run(key, key);
    await settle();
    assert.deepEqual(running.map(({ key }) => key).sort(), ["busy", "x"]);
    await end("x");
    assert.deepEqual(running.map(({ key }) => key).sort(), ["busy", "y"]);
  });

  it("never exceeds its limits, never idles while a caller could start, and keeps the order of each key", async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("start" as const), key: fc.constantFrom("a", "b", "c") }),
      fc.record({ kind: fc.constant("end" as const), index: fc.nat(9) }),
      fc.record({ kind: fc.constant("abort" as const), index: fc.nat(9) }),
    );
    const limits = fc.record({ permits: fc.integer({ min: 1, max: 4 }), maxPerKey: fc.integer({ min: 1, max: 4 }) });
    await fc.assert(
      fc.asyncProperty(limits, fc.array(step, { maxLength: 40 }), async ({ permits, maxPerKey }, steps) => {
        const { run, end, running } = openWork(new Semaphore({ permits, maxPerKey }));
        const waiting: { key: string; name: string; stop: AbortController }[] = [];
        let count = 0;
        for (const one of steps) {
          if (one.kind === "start") {
            const caller = { key: one.key, name: String((count += 1)), stop: new AbortController() };
            waiting.push(caller);
            run(caller.key, caller.name, caller.stop.signal).catch(() => {});
          } else if (one.kind === "end") {
            const ended = running[one.index];
            if (ended !== undefined) await end(ended.name);
          } else waiting.splice(one.index, 1)[0]?.stop.abort();
          await settle();
          for (const { name } of running) {
            const index = waiting.findIndex((caller) => caller.name === name);
            if (index === -1) continue;
            const earlier = waiting.slice(0, index).filter(({ key }) => key === waiting[index]?.key);
            assert.deepEqual(earlier, [], "an earlier caller of the key still waits");
            waiting.splice(index, 1);
          }
          const heldBy = (key: string): number => running.filter((held) => held.key === key).length;
          assert.ok(running.length <= permits);
          for (const key of ["a", "b", "c"]) assert.ok(heldBy(key) <= maxPerKey);
          if (running.length < permits)
            assert.ok(
              waiting.every(({ key }) => heldBy(key) === maxPerKey),
              "a permit is free, and a caller who could have it waits",
            );
        }
      }),
      { numRuns: 60 },
    );
  });
});
