import { test } from "node:test";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";
import { failOver } from "./fail-over.ts";

test("after kill -9 of the primary the promoted replica has every answered write, once, and webhooks and channels go on", {
  skip: process.platform === "linux" ? false : "reads the process tree from /proc",
  ...SEVERAL_STARTS,
}, async (t) => {
  await failOver(t, { writes: 20, promoteAfterMs: 0 });
});
