import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { createNotificationChannel } from "../../src/db/index.ts";
import { createTestDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";

test("a notification channel reaches the other listeners, sends equal payloads once, and listens again after a loss", async (t) => {
  const database = await createTestDatabase(t);
  const stop = new AbortController();
  const open = () => {
    const received: string[] = [];
    let listened = 0;
    let lost = 0;
    const channel = createNotificationChannel({
      url: database.url("sb_service"),
      channel: 'a "quoted" channel',
      applicationName: "notified",
      onListening: () => {
        listened += 1;
      },
      onNotification: (payload) => received.push(payload),
      onLost: () => {
        lost += 1;
      },
    });
    const running = channel.run(stop.signal);
    return { channel, received, running, listened: () => listened, lost: () => lost };
  };
  const [one, other] = [open(), open()];
  t.after(async () => {
    stop.abort();
    await Promise.all([one.running, other.running]);
  });
  one.channel.notify("before there is a connection");
  await until(() => one.listened() === 1 && other.listened() === 1);

  for (const payload of ["a", "b", "a"]) one.channel.notify(payload);
  other.channel.notify();
  await until(() => other.received.length >= 2 && one.received.length >= 1);
  one.channel.notify("last");
  await until(() => other.received.includes("last"));
  assert.deepEqual(other.received, ["a", "b", "last"]);
  assert.deepEqual(one.received, [""], "a channel does not receive its own notifications");

  const killer = new pg.Client(database.url("sb_service"));
  await killer.connect();
  await killer.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'notified'");
  await killer.end();
  await until(() => one.listened() === 2 && other.listened() === 2);
  assert.deepEqual([one.lost(), other.lost()], [1, 1]);
  other.channel.notify("again");
  await until(() => one.received.includes("again"));
});
