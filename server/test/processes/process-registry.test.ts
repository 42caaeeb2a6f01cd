import assert from "node:assert/strict";
import { test } from "node:test";
import type { Observer } from "../../src/observe/index.ts";
import type { ServiceProcess } from "../../src/wiring/processes/fork-service-process.ts";
import { ProcessRegistry } from "../../src/wiring/processes/process-registry.ts";

/** The calls that a worker process gets are recorded as `its node: what it takes over`. */
function createWorkerProcess(
  node: string,
  calls: string[],
): { readonly workerProcess: ServiceProcess; end(): Promise<void> } {
  const exited = Promise.withResolvers<{ code: number | null; signal: null }>();
  const call = async (_method: string, lost: string): Promise<void> => void calls.push(`${node}: ${lost}`);
  const workerProcess = { node, exited: exited.promise, peer: { call }, metrics: [] } as unknown as ServiceProcess;
  return {
    workerProcess,
    end: async () => {
      exited.resolve({ code: 1, signal: null });
      await exited.promise;
    },
  };
}

test("the leases of a lost worker process are released once, by one that serves, or by the next that does", async () => {
  const observer: Observer = { note: () => {}, child: () => observer };
  const registry = new ProcessRegistry(observer);
  const calls: string[] = [];
  const [one, two, three] = ["one", "two", "three"].map((node) => createWorkerProcess(node, calls)) as [
    ReturnType<typeof createWorkerProcess>,
    ReturnType<typeof createWorkerProcess>,
    ReturnType<typeof createWorkerProcess>,
  ];
  registry.add(one.workerProcess);
  registry.add(two.workerProcess);
  registry.leave(one.workerProcess);
  await one.end();
  registry.lose(one.workerProcess);
  assert.deepEqual(calls, ["two: one"]);

  // One that leaves is told nothing, and one that has ended cannot come back.
  registry.leave(two.workerProcess);
  assert.deepEqual([...registry.alive], [two.workerProcess]);
  await two.end();
  registry.leave(two.workerProcess);
  registry.lose(two.workerProcess);
  assert.deepEqual([[...registry.alive], calls], [[], ["two: one"]]);
  registry.add(three.workerProcess);
  assert.deepEqual(calls, ["two: one", "three: two"]);
});
