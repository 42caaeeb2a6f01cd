import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test, type TestContext } from "node:test";
import { connectStore, type Limits, openLimits } from "../../src/limits/index.ts";
import type { Observer } from "../../src/observe/index.ts";
import { systemClock } from "../../src/time/index.ts";
import { startServer } from "../http/support/test-server.ts";
import { until } from "../support/until.ts";
import { startRespServer } from "./support/resp-server.ts";
import { countSendsHere } from "./support/webhook-sends.ts";

const LIMIT = 1_000;

async function openNode(t: TestContext, url: string): Promise<{ limits: Limits; notes: string[] }> {
  const notes: string[] = [];
  const observer: Observer = { note: (name) => void notes.push(name), child: () => observer };
  const settings = { limitApi: LIMIT, limitAuth: 0, limitAi: 0, limitTools: 0, limitWebhooks: 0 };
  const { store, close } = await connectStore(url, observer);
  t.after(() => close());
  const limits = openLimits({ settings, store, countWebhookSend: countSendsHere(0), clock: systemClock, observer });
  return { limits, notes };
}

test("nodes count alone while the store is dead, report it in the log and in /health, and share counts again", async (t) => {
  const store = await startRespServer(t);
  const [a, b] = [await openNode(t, store.url), await openNode(t, store.url)];
  const { request } = await startServer(t, { limits: a.limits });
  const readHealth = async (): Promise<unknown> => (await request("/health")).json;
  const take = async ({ limits }: { limits: Limits }, key: string): Promise<number | undefined> =>
    (await limits.take("api", key))?.remaining;
  /** Repeats with a new key when the deadline of the store was missed on a busy machine. */
  const share = async (): Promise<boolean> => {
    const key = randomUUID();
    return (await take(a, key)) === LIMIT - 1 && (await take(b, key)) === LIMIT - 2;
  };
  await until(share, "both nodes count together");
  assert.deepEqual(await readHealth(), { status: "ok", version: "1.2.3" });
  const isNoted = (name: string): boolean => a.notes.lastIndexOf(name) === a.notes.length - 1;

  await store.kill();
  await until(async () => {
    await take(a, randomUUID());
    return a.limits.isStoreAway();
  }, "the node notices");
  const key = randomUUID();
  assert.equal(await take(a, key), LIMIT - 1);
  assert.equal(await take(b, key), LIMIT - 1);
  assert.ok(isNoted("limits.store_away"), a.notes.join());
  assert.deepEqual(await readHealth(), { status: "ok", version: "1.2.3", limit_store: "unavailable" });

  await store.startAgain();
  await until(share, "both nodes count together again");
  assert.ok(isNoted("limits.store_back"), a.notes.join());
  assert.deepEqual(await readHealth(), { status: "ok", version: "1.2.3" });
});
