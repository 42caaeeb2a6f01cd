import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type pg from "pg";
import { openFollowing } from "../../../src/agents/respond/following.ts";
import type { RunCaller } from "../../../src/agents/respond/run-caller.ts";
import { createRunHub } from "../../../src/agents/runs/run-hub.ts";
import { AppError } from "../../../src/errors/index.ts";

const VIEWER = { isManager: true, ownAgentIds: [] };
/** Nothing is asked for in the first seconds. */
const NO_POOL = {} as pg.Pool;

test("a user follows so many runs at a time, and who leaves makes room", (t) => {
  const following = openFollowing(NO_POOL, createRunHub(), 2);
  t.after(() => following.close());
  const ann: RunCaller = { userId: randomUUID(), isServiceRole: false, session: null };
  const bob: RunCaller = { userId: randomUUID(), isServiceRole: false, session: null };
  const service: RunCaller = { userId: ann.userId, isServiceRole: true, session: null };
  const follow = (caller: RunCaller) => {
    following.requireRoom(caller);
    const { signal } = new AbortController();
    return following.begin({ runId: randomUUID(), caller, afterSeq: 0, signal }, VIEWER, true);
  };
  const isRefused = (error: unknown): boolean => error instanceof AppError && error.code === "RATE_LIMITED";

  const [first] = [follow(ann), follow(ann)];
  assert.throws(() => follow(ann), isRefused);
  follow(bob);
  for (let count = 0; count < 3; count += 1) follow(service);
  first?.close();
  first?.close();
  follow(ann);
  assert.throws(() => follow(ann), isRefused);
});
