import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { createBrowserTest } from "./support/browser-test.ts";
import { measureTransfer } from "./support/measure-transfer.ts";
import { createSignedInUser, HOME_TITLE } from "./support/people.ts";

const test = createBrowserTest();
const FIRST_PAINT_MS = 1_500;
/** "3G" of the developer tools of Chromium: 1.6 Mbit/s down and 750 kbit/s up, of which 90 % are usable, with a latency of 3.75 × 150 ms. */
const THROTTLED_3G = {
  offline: false,
  downloadThroughput: 180_000,
  uploadThroughput: 84_375,
  latency: 562.5,
};

test("the console shows something within 1.5 s on a throttled 3G connection", async (t, { openPage }) => {
  // Without an account, the service would welcome its first visitor.
  await createSignedInUser(await openPage(t));
  const page = await openPage(t);
  const entry = await load(page, "Sign in");
  t.diagnostic(entry.text);
  await createSignedInUser(page);
  const home = await load(page, HOME_TITLE);
  t.diagnostic(home.text);
  for (const { firstPaintMs, text } of [entry, home]) assert.ok(firstPaintMs < FIRST_PAINT_MS, text);
});

async function load(page: Page, title: string | RegExp): Promise<{ firstPaintMs: number; text: string }> {
  const network = await page.context().newCDPSession(page);
  await network.send("Network.enable");
  await network.send("Network.emulateNetworkConditions", THROTTLED_3G);
  const bytes = await measureTransfer(page, async () => {
    await page.goto("/");
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
  });
  const [firstPaintMs, titleMs] = await page.evaluate(() => [
    performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.POSITIVE_INFINITY,
    performance.now(),
  ]);
  await network.detach();
  const times = `first paint after ${firstPaintMs.toFixed(0)} ms, heading before ${titleMs.toFixed(0)} ms`;
  return { firstPaintMs, text: `${page.url()}: ${times}, ${bytes} bytes` };
}
