import assert from "node:assert/strict";
import { test } from "node:test";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";
import { failOver } from "./fail-over.ts";

/** The goal for a fault that nobody has planned, counted from the moment at which a server can take over. */
const MAX_ERRORS_MS = 5_000;
const FAULTS = {
  kill: "is killed",
  freeze: "is gone without closing a connection",
  stop: "is shut down",
} as const;

for (const fault of ["kill", "freeze", "stop"] as const)
  test(`a primary that ${FAULTS[fault]} under load costs seconds of errors and no answered write`, {
    skip: process.platform === "linux" ? false : "reads the process tree from /proc",
    ...SEVERAL_STARTS,
  }, async (t) => {
    const { backAfterMs } = await failOver(t, { writes: 300, promoteAfterMs: 2_000, fault });
    assert.ok(backAfterMs <= MAX_ERRORS_MS, `${Math.round(backAfterMs)} ms`);
  });
