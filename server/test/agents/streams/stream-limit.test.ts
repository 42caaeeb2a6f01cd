import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type pg from "pg";
import { openSubscribers } from "../../../src/agents/streams/subscribers.ts";
import { type Principal, SERVICE_PRINCIPAL } from "../../../src/db/index.ts";
import { createStreamHub } from "../../../src/agents/streams/stream-hub.ts";
import { AppError } from "../../../src/errors/index.ts";

const VIEWER = { isManager: true, ownAgentIds: [] };
/** Nothing is asked for in the first seconds. */
const NO_POOL = {} as pg.Pool;

test("a user follows so many runs at a time, and who leaves makes room", (t) => {
  const following = openSubscribers(NO_POOL, createStreamHub(), 2);
  t.after(() => following.close());
  const ann: Principal = { role: "authenticated", userId: randomUUID(), claims: {}, session: null };
  const bob: Principal = { role: "authenticated", userId: randomUUID(), claims: {}, session: null };
  const service: Principal = { ...SERVICE_PRINCIPAL, userId: ann.userId };
  const follow = (caller: Principal) => {
    const giveBack = following.reserve(caller);
    const { signal } = new AbortController();
    const follower = following.begin({ runId: randomUUID(), caller, afterSeq: 0, signal }, VIEWER, true);
    giveBack();
    return follower;
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

  const eve: Principal = { role: "authenticated", userId: randomUUID(), claims: {}, session: null };
  const [one, two] = [following.reserve(eve), following.reserve(eve)];
  assert.throws(() => following.reserve(eve), isRefused, "those who are being let in count too");
  one?.();
  one?.();
  follow(eve);
  assert.throws(() => following.reserve(eve), isRefused, "a place is given back once");
  two?.();
  follow(eve);
});
