import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type pg from "pg";
import { Subscribers } from "../../../src/agents/streams/subscribers.ts";
import { type Principal, SERVICE_PRINCIPAL } from "../../../src/db/index.ts";
import { createStreamHub } from "../../../src/agents/streams/stream-hub.ts";
import { AppError } from "../../../src/errors/index.ts";

const VIEWER = { userId: null, isManager: true, ownAgentIds: [] };
/** The first statement is sent after some seconds. */
const NO_POOL = {} as pg.Pool;

test("a user can have a limited number of subscriptions, and closing one allows another", (t) => {
  const subscribers = new Subscribers(NO_POOL, createStreamHub(), 2);
  t.after(() => subscribers.close());
  const ann: Principal = { role: "authenticated", userId: randomUUID(), claims: {}, session: null };
  const bob: Principal = { role: "authenticated", userId: randomUUID(), claims: {}, session: null };
  const service: Principal = { ...SERVICE_PRINCIPAL, userId: ann.userId };
  const subscribe = (principal: Principal) => {
    const release = subscribers.reserve(principal);
    const { signal } = new AbortController();
    const subscriber = subscribers.begin({ runId: randomUUID(), principal, afterSeq: 0, signal }, VIEWER, true);
    release();
    return subscriber;
  };
  const isRateLimited = (error: unknown): boolean => error instanceof AppError && error.code === "RATE_LIMITED";

  const [first] = [subscribe(ann), subscribe(ann)];
  assert.throws(() => subscribe(ann), isRateLimited);
  subscribe(bob);
  for (let count = 0; count < 3; count += 1) subscribe(service);
  first?.close();
  first?.close();
  subscribe(ann);
  assert.throws(() => subscribe(ann), isRateLimited);

  const eve: Principal = { role: "authenticated", userId: randomUUID(), claims: {}, session: null };
  const [one, two] = [subscribers.reserve(eve), subscribers.reserve(eve)];
  assert.throws(() => subscribers.reserve(eve), isRateLimited, "reservations count too");
  one?.();
  one?.();
  subscribe(eve);
  assert.throws(() => subscribers.reserve(eve), isRateLimited, "a reservation is released once");
  two?.();
  subscribe(eve);
});
