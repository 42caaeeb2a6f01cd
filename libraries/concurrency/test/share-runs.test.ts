import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { shareRuns } from "../src/index.ts";

/** Work whose runs end when the test ends them. */
function createWork() {
  const runs: PromiseWithResolvers<number>[] = [];
  const run = (): Promise<number> => {
    const resolvers = Promise.withResolvers<number>();
    runs.push(resolvers);
    return resolvers.promise;
  };
  return { runs, run };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("runs of shareRuns", () => {
  it("are shared by all callers that arrive before one begins", async () => {
    const { runs, run } = createWork();
    const ask = shareRuns(run);
    const asked = [ask(), ask(), ask()];
    await settle();
    assert.equal(runs.length, 1);
    runs[0]?.resolve(1);
    assert.deepEqual(await Promise.all(asked), [1, 1, 1]);
  });

  it("begin after the call: a caller that arrives during one gets the next, one at a time", async () => {
    const { runs, run } = createWork();
    const ask = shareRuns(run);
    const first = ask();
    await settle();
    const later = [ask(), ask()];
    await settle();
    assert.equal(runs.length, 1);
    runs[0]?.resolve(1);
    assert.equal(await first, 1);
    await settle();
    assert.equal(runs.length, 2);
    runs[1]?.resolve(2);
    assert.deepEqual(await Promise.all(later), [2, 2]);
  });

  it("that fail reject only the callers that shared them", async () => {
    const { runs, run } = createWork();
    const ask = shareRuns(run);
    const first = ask();
    await settle();
    const second = ask();
    runs[0]?.reject(new Error("away"));
    await assert.rejects(first, /away/);
    await settle();
    runs[1]?.resolve(2);
    assert.equal(await second, 2);
  });

  it("wait before they begin, and are joined until then", async () => {
    const { runs, run } = createWork();
    const turn = Promise.withResolvers<void>();
    const ask = shareRuns(run, () => turn.promise);
    const asked = [ask()];
    await settle();
    asked.push(ask());
    assert.equal(runs.length, 0);
    turn.resolve();
    await settle();
    runs[0]?.resolve(7);
    assert.deepEqual(await Promise.all(asked), [7, 7]);
    assert.equal(runs.length, 1);
  });
});
