import assert from "node:assert/strict";
import type { Route } from "playwright-core";
import { scanWithAxe } from "./support/axe.ts";
import { runCommand } from "./support/instance.ts";
import { pressSequence } from "./support/keys.ts";
import { checkAppearance } from "./support/appearance.ts";
import { createSignedInUser, openHome } from "./support/people.ts";
import { createSwarm, waitUntil, sendMessage } from "./support/swarms.ts";
import { takeScreenshot } from "./support/screenshots.ts";
import { getApiClient } from "./support/api-client.ts";
import { NARROW, createBrowserTest } from "./support/browser-test.ts";
import { retryLoading } from "./support/retry.ts";
import { waitForValue } from "./support/wait-for-value.ts";

const test = createBrowserTest();
const testCopy = createBrowserTest({ RESTORED_COPY: "hold" });

test("a page stays usable without a connection, shows a banner, and reloads its data after reconnecting", async (t, {
  openPage,
}) => {
  const page = await openPage(t, {
    width: NARROW,
    theme: "dark",
    expected: [/ERR_INTERNET_DISCONNECTED/, /WebSocket/],
  });
  await createSignedInUser(page);
  const asked = Promise.withResolvers<Route>();
  await page.route("**/rest/v1/swarm_invitations*", (route) => asked.resolve(route), { times: 1 });
  await page.goto("/account/budgets");
  await page.getByLabel("Tokens a day").waitFor();
  await page.context().setOffline(true);
  // A late response to an earlier request does not mean that the connection is back.
  const late = await asked.promise;
  await late.fulfill({ json: [] });
  await page.getByText("The connection is lost").waitFor();
  await page.getByLabel("Tokens a day").fill("1000");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The service cannot be reached.").waitFor();
  await scanWithAxe(page);
  await takeScreenshot(page, "offline-form");
  await page.context().setOffline(false);
  await page.getByText("The connection is lost").waitFor({ state: "detached" });
  await page.getByText("The service cannot be reached.").waitFor({ state: "detached" });
  // The typed text is kept.
  await waitForValue(page.getByLabel("Tokens a day"), "1000");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Your budgets are saved.").first().waitFor();
});

test("a swarm page has its full height again after a banner has disappeared", async (t, { openPage, instance }) => {
  const page = await openPage(t, { expected: [/ERR_INTERNET_DISCONNECTED/, /WebSocket/] });
  await createSignedInUser(page);
  const { swarmId } = await createSwarm(await getApiClient(page, instance), ["Ada"]);
  await page.goto(`/swarms/${swarmId}`);
  const conversation = page.getByRole("region", { name: "Conversation" });
  await conversation.waitFor();
  const isFull = () =>
    conversation.evaluate((room) => {
      const { bottom } = room.getBoundingClientRect();
      return Math.abs(bottom - innerHeight) <= 1 && document.documentElement.scrollHeight <= innerHeight;
    });
  await waitUntil(isFull);
  const banner = page.getByText("The connection is lost");
  await page.context().setOffline(true);
  await page.getByRole("textbox", { name: "Message", exact: true }).fill("Are you there?");
  await page.keyboard.press("Enter");
  await banner.waitFor();
  await waitUntil(isFull);
  await page.context().setOffline(false);
  await banner.waitFor({ state: "detached" });
  await waitUntil(isFull);
});

test("the console refreshes a rejected token once without showing an error", async (t, { openPage }) => {
  const page = await openPage(t, { expected: [/401/] });
  await createSignedInUser(page);
  let refusals = 0;
  await page.route("**/rest/v1/user_settings*", async (route) => {
    refusals += 1;
    if (refusals > 1) return route.continue();
    return route.fulfill({ status: 401, json: { code: "UNAUTHORIZED", message: "The token has expired" } });
  });
  const renewed = page.waitForRequest(/token\?grant_type=refresh_token/);
  await page.goto("/account/budgets");
  await renewed;
  await page.getByLabel("Tokens a day").waitFor();
  assert.match(page.url(), /\/account\/budgets$/);
});

test("after a 429 the page shows the reason and the banner the time to wait", async (t, { openPage }) => {
  const page = await openPage(t, { expected: [/429/] });
  await createSignedInUser(page);
  const limited = "**/rest/v1/usage_daily*";
  await page.route(limited, (route) =>
    route.fulfill({
      status: 429,
      headers: { "retry-after": "4" },
      json: { error: "Too many requests", code: "RATE_LIMITED", message: "Too many requests", retry_after: 4 },
    }),
  );
  // Waits from the start, because the banner is shown for only four seconds.
  const told = page.getByText(/accepts the next one in \d s/).waitFor();
  await Promise.all([told, page.goto("/usage")]);
  await page.getByText("Usage could not be loaded").waitFor();
  await scanWithAxe(page);
  await takeScreenshot(page, "limited-page");
  await page.getByText(/accepts the next one/).waitFor({ state: "detached" });
  await retryLoading(page, limited, page.getByRole("heading", { name: /No usage/ }));
});

test("the navigation stays usable when a page cannot be loaded or does not exist", async (t, { openPage }) => {
  const page = await openPage(t, { expected: [/ERR_FAILED/, /dynamically imported module/, /404/] });
  await createSignedInUser(page);
  await page.route("**/assets/usage-*.js", (route) => route.abort());
  await openHome(page);
  await pressSequence(page, "g", "u");
  await page.getByText("This part could not be loaded").waitFor();
  await scanWithAxe(page);
  await takeScreenshot(page, "part-missing");
  await page.getByRole("link", { name: "Agents" }).first().click();
  await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
  await page.unroute("**/assets/usage-*.js");
  await page.goto("/usage/no-such-place");
  await page.goto("/no/such/place");
  await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
  await scanWithAxe(page);
});

testCopy(
  "a restored copy says that deliveries, runs and mails are held, until it is resumed",
  async (t, environment) => {
    const { openPage, instance } = environment;
    const page = await openPage(t, { expected: [/503/] });
    await createSignedInUser(page);
    const { swarmId } = await createSwarm(await getApiClient(page, instance), ["Ada"]);
    await openHome(page);
    const banner = page.getByText("This is a restored copy: webhook deliveries");
    await banner.waitFor();
    await checkAppearance(page, "home-held-copy");
    await page.goto(`/swarms/${swarmId}`);
    await banner.waitFor();
    await sendMessage(page, "Is anybody there?");
    await page.getByText("until its operator runs: swarmbase resume").waitFor();
    await checkAppearance(page, "room-held-copy");
    await runCommand(instance, "resume");
    await banner.waitFor({ state: "detached" });
  },
);
