import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import type pg from "pg";
import { keepConnected } from "../../src/db/keep-connected.ts";
import { createTestDatabase } from "../support/database.ts";

test("keepConnected reconnects after a loss, and ends with the signal", async (t) => {
  const database = await createTestDatabase(t);
  const stop = new AbortController();
  t.after(async () => stop.abort());
  const connected = new EventTarget();
  const clients: pg.Client[] = [];
  let lostCount = 0;
  let disconnectedCount = 0;
  const firstTime = once(connected, "connected");
  const kept = keepConnected(
    {
      url: database.url("sb_service"),
      applicationName: "kept",
      onConnected: async (client) => {
        clients.push(client);
        connected.dispatchEvent(new Event("connected"));
      },
      onDisconnected: () => {
        disconnectedCount += 1;
      },
      onLost: () => {
        lostCount += 1;
      },
    },
    stop.signal,
  );
  await firstTime;
  const again = once(connected, "connected");
  await assert.rejects(clients[0]?.query("select pg_terminate_backend(pg_backend_pid())") ?? Promise.resolve());
  await again;
  assert.equal(clients.length, 2);
  assert.notEqual(clients[0], clients[1]);
  assert.equal(lostCount, 1);

  stop.abort();
  await kept;
  assert.equal(disconnectedCount, 2);
  assert.equal(lostCount, 1, "an end that was asked for is no loss");
  const { rows } = await database.owner.query("select 1 from pg_stat_activity where application_name = 'kept'");
  assert.deepEqual(rows, []);
});

test("keepConnected reports an outage once, however often it retries", async () => {
  const stop = new AbortController();
  const lost: unknown[] = [];
  let tries = 0;
  await keepConnected(
    {
      url: "postgres://nobody@127.0.0.1:1/none",
      applicationName: "kept",
      onConnected: async () => {},
      onDisconnected: () => {
        tries += 1;
        if (tries === 3) stop.abort();
      },
      onLost: (error) => lost.push(error),
    },
    stop.signal,
  );
  assert.equal(tries, 3);
  assert.equal(lost.length, 1);
  assert.ok(lost[0] instanceof Error);
});
