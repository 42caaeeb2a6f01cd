import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { createCounts } from "../../src/limits/counts.ts";

test("a clock that is set back does not make clients wait for longer than a window", async (t) => {
  mock.timers.enable({ apis: ["Date"], now: 7_200_000 });
  t.after(() => mock.timers.reset());
  const counts = createCounts({ limitApi: 1, limitAuth: 0, limitAi: 0, limitTools: 0, limitWebhooks: 0 });
  const call = { window: "api", key: "user", calls: 1 } as const;
  await counts.count(call);
  mock.timers.setTime(3_600_000);
  const { isExceeded, msBeforeNext } = await counts.count(call);
  assert.equal(isExceeded, true);
  assert.ok(msBeforeNext <= 60_000, `${msBeforeNext} ms`);
});
