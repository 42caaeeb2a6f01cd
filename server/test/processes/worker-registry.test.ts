import assert from "node:assert/strict";
import { test } from "node:test";
import type { Observer } from "../../src/observe/index.ts";
import type { ServiceWorker } from "../../src/wiring/processes/fork-service-worker.ts";
import { WorkerRegistry } from "../../src/wiring/processes/worker-registry.ts";

/** The calls that a worker gets are recorded as `its node: what it takes over`. */
function createWorker(node: string, calls: string[]): { readonly worker: ServiceWorker; end(): Promise<void> } {
  const exited = Promise.withResolvers<{ code: number | null; signal: null }>();
  const call = async (_method: string, lost: string): Promise<void> => void calls.push(`${node}: ${lost}`);
  const worker = { node, exited: exited.promise, peer: { call }, metrics: [] } as unknown as ServiceWorker;
  return {
    worker,
    end: async () => {
      exited.resolve({ code: 1, signal: null });
      await exited.promise;
    },
  };
}

test("the leases of a lost worker are released once, by one that serves, or by the next that does", async () => {
  const observer: Observer = { note: () => {}, child: () => observer };
  const registry = new WorkerRegistry(observer);
  const calls: string[] = [];
  const [one, two, three] = ["one", "two", "three"].map((node) => createWorker(node, calls)) as [
    ReturnType<typeof createWorker>,
    ReturnType<typeof createWorker>,
    ReturnType<typeof createWorker>,
  ];
  registry.add(one.worker);
  registry.add(two.worker);
  registry.leave(one.worker);
  await one.end();
  registry.lose(one.worker);
  assert.deepEqual(calls, ["two: one"]);

  // One that leaves is told nothing, and one that has ended cannot come back.
  registry.leave(two.worker);
  assert.deepEqual([...registry.alive], [two.worker]);
  await two.end();
  registry.leave(two.worker);
  registry.lose(two.worker);
  assert.deepEqual([[...registry.alive], calls], [[], ["two: one"]]);
  registry.add(three.worker);
  assert.deepEqual(calls, ["two: one", "three: two"]);
});
