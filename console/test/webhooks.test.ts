import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Page, WebSocketRoute } from "playwright-core";
import { scanWithAxe } from "./support/axe.ts";
import { checkAppearance } from "./support/appearance.ts";
import { createSignedInUser, navigate, openHome } from "./support/people.ts";
import { type Receiver, startReceiver } from "./support/receiver.ts";
import { stopPolling } from "./support/stop-polling.ts";
import { waitUntil } from "./support/swarms.ts";
import { takeScreenshot } from "./support/screenshots.ts";
import { getApiClient, type ApiClient } from "./support/api-client.ts";
import { NARROW, createBrowserTest, WIDE } from "./support/browser-test.ts";
import { retryLoading } from "./support/retry.ts";

const test = createBrowserTest();

test("a webhook is created and tested, and its delivery is inspected, replayed and verified", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t, { expected: [/40[0-9]/, /502/] });
  const receiver = await startReceiver(t, instance);
  await createSignedInUser(page);
  await page.goto("/webhooks");
  await page.getByRole("heading", { name: "No webhooks yet" }).waitFor();
  await checkAppearance(page, "webhooks-empty");

  await page.keyboard.press("n");
  await page.getByRole("button", { name: "Create webhook" }).click();
  await page.getByText("Enter a name.").waitFor();
  await page.getByText("Select at least one event.").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Ticket desk");
  await page.getByLabel("URL").fill("https://10.0.0.1/hook");
  await page.getByLabel("Search the events").fill("status");
  await page.getByRole("checkbox", { name: "agent.status_changed" }).click();
  await page.getByLabel("Search the events").fill("");
  await page.getByRole("checkbox", { name: "Agents" }).click();
  await page.getByText(/^5 of \d+ selected$/).waitFor();
  await page.getByRole("button", { name: "Add header" }).click();
  await page.getByLabel("Name of header 1").fill("Host");
  await page.getByLabel("Value of header 1").fill("elsewhere");
  await page.getByRole("button", { name: "Create webhook" }).click();
  await page.getByText("Host is set by the service").waitFor();
  await page.getByText("must not be reached").waitFor();
  await checkAppearance(page, "webhook-refused");
  await page.getByLabel("Name of header 1").fill("X-Desk");
  await page.getByLabel("URL").fill(receiver.url);
  await page.getByRole("button", { name: "Create webhook" }).click();

  await page.getByRole("heading", { level: 1, name: "Ticket desk" }).waitFor();
  await page.getByText("No deliveries yet").waitFor();
  const address = page.url();
  await navigate(page, `${new URL(address).pathname}/edit`);
  const value = page.getByLabel("Value of header 1");
  assert.deepEqual([await value.inputValue(), await value.getAttribute("type")], ["elsewhere", "password"]);
  await page.getByRole("button", { name: "Show header 1" }).click();
  assert.equal(await value.getAttribute("type"), "text");
  await navigate(page, `${new URL(address).pathname}?tab=setup`);
  assert.match(await page.locator("[data-secret]").innerText(), /^whsec_•+$/);
  await page.getByRole("button", { name: "Reveal" }).click();
  await page.getByText(/^whsec_[A-Za-z0-9+/=]{20,}$/).waitFor();
  await navigate(page, address);
  await page.getByText("No deliveries yet").waitFor();
  await page.keyboard.press("t");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("dialog").getByText("Delivered", { exact: true }).waitFor();
  await takeScreenshot(page, "webhook-test");
  await scanWithAxe(page);
  await page.getByRole("link", { name: "Open the delivery" }).click();

  await page.getByText("Delivered with the first attempt.").waitFor();
  const [first] = receiver.received;
  assert.equal(first?.headers["x-desk"], "elsewhere");
  await page.getByRole("button", { name: "Sign it here" }).click();
  await page.getByRole("textbox", { name: "X-Service-Timestamp" }).fill(String(first?.headers["x-service-timestamp"]));
  await page.getByRole("textbox", { name: "X-Service-Signature" }).fill(String(first?.headers["x-service-signature"]));
  await page.getByRole("button", { name: "Verify" }).click();
  await page.getByText("The signature is valid.").waitFor();
  await checkAppearance(page, "delivery");
  await page.getByRole("textbox", { name: "X-Service-Timestamp" }).fill("1");
  await page.getByRole("button", { name: "Verify" }).click();
  await page.getByText("signature_mismatch").waitFor();

  const before = page.url();
  await page.getByRole("button", { name: "Replay" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Replay" }).click();
  await page.waitForURL((url) => url.href !== before);
  await page.getByText("Delivered with the first attempt.").waitFor();
  // The same text was shown before.
  await waitUntil(async () => receiver.received.length > 1);
  assert.equal(receiver.received[1]?.body, first?.body);
  await page.getByRole("heading", { name: "The same event" }).waitFor();
});

test("event types of the app are shown with their schema, chosen for a webhook with a filter and tested", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t, { expected: [/400/] });
  const receiver = await startReceiver(t, instance);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const name = `app.console_${randomUUID().replaceAll("-", "_")}`;
  await api.callAsService("POST", "/rest/v1/event_types", {
    name,
    description: "An order was paid.",
    schema: { type: "object", required: ["order_id"] },
    example: { order_id: "A-1017" },
  });
  await page.goto("/webhooks");
  await page.getByRole("link", { name: "Event types" }).click();
  await page.getByRole("heading", { name }).waitFor();
  await page
    .getByRole("group", { name: `Example of data: ${name}` })
    .getByText("A-1017")
    .waitFor();
  await checkAppearance(page, "event-types");

  await navigate(page, "/webhooks/new");
  await page.getByLabel("Name", { exact: true }).fill("Orders");
  await page.getByLabel("URL").fill(receiver.url);
  await page.getByRole("group", { name: "Your app" }).getByRole("checkbox", { name }).click();
  const filter = page.getByLabel("Filter", { exact: true });
  await filter.fill('{"data": ');
  await page.getByRole("button", { name: "Create webhook" }).click();
  await page.getByText("Must be a JSON object").waitFor();
  await filter.fill('{"data": {"order_id": {"$like": "A"}}}');
  await page.getByRole("button", { name: "Create webhook" }).click();
  await page.getByText("data.order_id.$like is not an operator").waitFor();
  await filter.fill('{"data": {"order_id": {"$startsWith": "A"}}}');
  await page.getByRole("button", { name: "Create webhook" }).click();
  await page.getByText("No deliveries yet").waitFor();
  await page.keyboard.press("t");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("dialog").getByText("Delivered", { exact: true }).waitFor();
  const { type, data } = JSON.parse(receiver.received[0]?.body ?? "{}") as Record<string, unknown>;
  assert.deepEqual([type, data], [name, { order_id: "A-1017", test: true }]);
  await page.keyboard.press("Escape");

  // The event that was sent is one that a changed filter can be tried on.
  await navigate(page, `${new URL(page.url()).pathname}/edit`);
  assert.match(await filter.inputValue(), /"\$startsWith": "A"/);
  await page.getByRole("button", { name: "Try it on your last events" }).click();
  await page.getByText("1 of your last 1 events would be sent.").waitFor();
  await filter.fill('{"data": {"order_id": "B"}}');
  await page.getByRole("button", { name: "Try it on your last events" }).click();
  await page.getByText("0 of your last 1 events would be sent.").waitFor();
  await checkAppearance(page, "webhook-filter");
  await api.callAsService("DELETE", `/rest/v1/event_types?name=eq.${name}`);
});

test("an event feed is created with a filter, shown with its consumers, changed and deleted", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t, { expected: [/400/] });
  await createSignedInUser(page);
  await page.goto("/webhooks/feeds");
  await page.getByRole("heading", { name: "No event feeds yet" }).waitFor();
  await page.getByRole("link", { name: "New feed" }).click();
  await page.getByRole("button", { name: "Create feed" }).click();
  await page.getByText("Enter a name.").waitFor();
  await page.getByText("Select at least one event.").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Billing");
  await page.getByRole("checkbox", { name: "Agents" }).click();
  await page.getByLabel("Filter", { exact: true }).fill('{"data": {"name": "Ada"}}');
  await page.getByRole("button", { name: "Create feed" }).click();
  await page.getByRole("heading", { name: "Billing" }).waitFor();
  await page.getByText("agent.created").first().waitFor();
  await page.getByText("0 events stored, 0 skipped by the filter.").waitFor();

  await page.getByRole("link", { name: "Edit Billing" }).click();
  const filter = page.getByLabel("Filter", { exact: true });
  assert.match(await filter.inputValue(), /"name": "Ada"/);
  await filter.fill('{"data": {"name": {"$no": 1}}}');
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("is not an operator").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Orders");
  await filter.fill('{"data": {"name": {"$startsWith": "A"}}}');
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Orders" }).waitFor();

  const api = await getApiClient(page, instance);
  for (const name of ["Ada", "Bob", "Alan"]) await api.call("POST", "/rest/v1/agents", { name });
  const [feed] = (await api.call("GET", "/rest/v1/event_feeds")) as [{ id: string }];
  const read = { action: "read", feed_id: feed.id, consumer: "desk", limit: 1, wait_seconds: 20 };
  const { cursor } = (await api.call("POST", "/functions/v1/events", read)) as { cursor: string };
  await api.call("POST", "/functions/v1/events", { action: "commit", feed_id: feed.id, consumer: "desk", cursor });
  await waitUntil(async () => {
    const [backlog] = (await api.call("GET", "/rest/v1/event_feed_backlog")) as [{ events: number; skipped: number }];
    return backlog.events === 2 && backlog.skipped === 1;
  });
  await page.reload();
  await page.getByText("2 events stored, 1 skipped by the filter.").waitFor();
  await page.getByText("desk has 1 left, committed").waitFor();
  await checkAppearance(page, "event-feeds");
  await page.getByRole("button", { name: "Delete Orders" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("Orders");
  await page.getByRole("button", { name: "Delete the feed" }).click();
  await page.getByRole("heading", { name: "No event feeds yet" }).waitFor();
});

test("a failed delivery shows its response, is retried manually and recovered", async (t, { openPage, instance }) => {
  const page = await openPage(t, { expected: [/502/] });
  const receiver = await startReceiver(t, instance);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const first = await createWebhook(api, { name: "Analytics", url: receiver.url, retry_count: 1 });
  receiver.answer(503, '{"error":"away"}');
  await api.call("POST", "/rest/v1/agents", { name: "Ada" });
  await page.goto(`/webhooks/${first}`);
  // Signals update the list, including the time of the next attempt.
  await page.getByRole("button", { name: "Open the delivery of agent.created, retrying" }).click();
  await page
    .getByText(/^in (1 min|\d+ s)/)
    .first()
    .waitFor();
  await page.getByText('{"error":"away"}').waitFor();
  await checkAppearance(page, "delivery-retrying");
  await page.getByRole("button", { name: "Retry now" }).click();
  await page.getByText("Attempt 2: status 503").waitFor();

  const other = await createWebhook(api, { name: "Search", url: receiver.url, retry_count: 1 });
  await api.call("POST", "/rest/v1/agents", { name: "Ben" });
  await navigate(page, `/webhooks/${other}`);
  const retry = page.getByRole("button", { name: "Retry now: agent.created" });
  await retry.waitFor();
  receiver.answer(204);
  await retry.click();
  await page.getByRole("button", { name: "Open the delivery of agent.created, delivered" }).waitFor();

  // A second webhook: the first one retries a minute later and would change the number of failed deliveries.
  const id = await createWebhook(api, { name: "Archive", url: receiver.url, retry_count: 1 });
  await page.goto(`/webhooks/${id}`);
  await api.call("DELETE", `/rest/v1/webhooks?id=in.(${first},${other})`);
  receiver.answer(404);
  await api.call("POST", "/rest/v1/agents", { name: "Max" });
  await navigate(page, `/webhooks/${id}?status=failed`);
  await page.getByRole("button", { name: /agent.created, failed/ }).click();
  await page.getByRole("button", { name: "Retry now" }).click();
  await page.getByText("The endpoint answered 404", { exact: false }).first().waitFor();
  await page.getByText("Attempt 2: status 404").waitFor();
  receiver.answer(204);
  await page.getByRole("button", { name: "Retry now" }).click();
  await page.getByText("Tried 3 times; the last attempt succeeded.").waitFor();

  receiver.answer(404);
  await api.call("POST", "/rest/v1/agents", { name: "Eve" });
  const failed = `/rest/v1/webhook_deliveries?webhook_id=eq.${id}&status=eq.failed&select=id`;
  // The count is read when the page is opened.
  await waitUntil(async () => ((await api.call("GET", failed)) as unknown[]).length > 0);
  await page.goto(`/webhooks/${id}?tab=recovery`);
  await page.getByText("1 failed deliveries.").waitFor();
  receiver.answer(200);
  await page.getByRole("button", { name: "Retry deliveries" }).click();
  await page.getByText("1 of 1 recovered").waitFor();
  await page.getByText("Completed").waitFor();
  await checkAppearance(page, "webhook-recovery");
  await page.getByRole("tab", { name: "Performance" }).click();
  await page.getByRole("img", { name: "Attempts by outcome" }).waitFor();
  await page.getByRole("img", { name: "Response times of attempts" }).waitFor();
  await checkAppearance(page, "webhook-performance");
  await page.getByLabel("Time", { exact: true }).selectOption("Custom range");
  await page.getByLabel("From", { exact: true }).fill("2001-01-01T00:00");
  await page.getByLabel("To", { exact: true }).fill("2001-01-02T00:00");
  await page.getByText("No attempts in this period").waitFor();
});

test("deliveries are found by id and time, those of a range are retried, and two attempts are compared", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  const receiver = await startReceiver(t, instance);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const id = await createWebhook(api, { name: "Archive", url: receiver.url });
  const rows = await api.callAsService("POST", "/rest/v1/webhook_deliveries", failedDeliveries(id, api.userId, 3));
  const [tried] = rows as { id: string; event_id: string }[];
  const attempt = { delivery_id: tried?.id, webhook_id: id, user_id: api.userId, cause: "schedule", url: receiver.url };
  await api.callAsService("POST", "/rest/v1/webhook_delivery_attempts", [
    { ...attempt, attempt: 1, status_code: 503, response_body: "away", outcome: "retrying", created_at: daysAgo(10) },
    { ...attempt, attempt: 2, status_code: 404, response_body: "gone", outcome: "failed", created_at: daysAgo(9) },
  ]);

  await page.goto(`/webhooks/${id}?q=evt_${tried?.event_id}`);
  await page.getByRole("button", { name: "Open the delivery of agent.created, failed" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Open the delivery" }).count(), 1);
  await page.getByRole("button", { name: "Open the delivery" }).click();
  const exchange = page.getByRole("region", { name: "Exchange" });
  await exchange.getByText("− Status: 503").waitFor();
  await exchange.getByText("+ Status: 404").waitFor();
  await checkAppearance(page, "delivery-compare");
  await page.getByRole("combobox", { name: "Second" }).selectOption("Attempt 1: 503");
  await exchange.getByText("+ Status: 404").waitFor({ state: "detached" });

  await navigate(page, `/webhooks/${id}`);
  await page.getByRole("searchbox", { name: "Search by id" }).fill("nothing");
  await page.getByText("This is not an id.").waitFor();
  await navigate(page, `/webhooks/${id}?from=2001-01-01T00:00&to=2001-01-02T00:00`);
  await page.getByText("No delivery matches").waitFor();
  await page.getByRole("button", { name: "Retry failed …" }).click();
  await page.getByText("No delivery of this period has failed.").waitFor();
  await page.keyboard.press("Escape");
  await navigate(page, `/webhooks/${id}?from=${daysAgo(12).slice(0, 16)}&to=${daysAgo(8).slice(0, 16)}`);
  await page.getByRole("button", { name: "Retry failed …" }).click();
  await page.getByRole("button", { name: "Retry 3" }).click();
  await page.getByRole("dialog").getByText("3 of 3 recovered").waitFor();
  await checkAppearance(page, "webhook-retry-range");
  await waitUntil(async () => receiver.received.length >= 3);
});

const DAY_MS = 86_400_000;

function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString();
}

/** Failed deliveries of ten days ago. */
function failedDeliveries(webhookId: string, userId: string, count: number): readonly object[] {
  return Array.from({ length: count }, () => ({
    webhook_id: webhookId,
    user_id: userId,
    event_id: randomUUID(),
    event_type: "agent.created",
    payload: { id: "evt_1", type: "agent.created", created_at: daysAgo(10), data: {} },
    status: "failed",
    attempts: 1,
    created_at: daysAgo(10),
  }));
}

test("a receiver is tested without a webhook of its own, with a signed and a forged event", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  const receiver = await startReceiver(t, instance);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  await page.goto("/webhooks");
  await page.getByRole("link", { name: "Test a receiver" }).click();
  await page.getByRole("textbox", { name: "URL" }).fill(receiver.url);
  await page.getByRole("button", { name: "Get secret" }).click();
  await page.getByText(/^whsec_/u).waitFor();
  await page.getByRole("button", { name: "Send both events" }).click();
  await page.getByText("Accepts a signed event").waitFor();
  await page.getByText("Does not reject an event with another signature").waitFor();
  await checkAppearance(page, "webhook-tester");
  const [genuine, forged] = receiver.received;
  assert.equal(genuine?.body.length, forged?.body.length);
  assert.notEqual(genuine?.headers["x-service-signature"], forged?.headers["x-service-signature"]);
  await page.getByRole("tab", { name: "Go" }).click();
  await page.getByText("func isGenuine").waitFor();
  const listWebhooks = async () => (await api.call("GET", "/rest/v1/webhooks?select=name")) as { name: string }[];
  await navigate(page, "/webhooks");
  await waitUntil(async () => (await listWebhooks()).length === 0);

  // Somebody else's webhook of this name, one that a crashed page has left, and a page that is closed.
  const left = { url: receiver.url, user_id: api.userId, events: ["agent.deleted"] };
  await api.callAsService("POST", "/rest/v1/webhooks", [
    { ...left, name: "Receiver test", headers: {} },
    { ...left, name: "left behind", headers: { "X-Receiver-Test": "true" } },
  ]);
  await navigate(page, "/webhooks/tester");
  await page.getByRole("textbox", { name: "URL" }).fill(receiver.url);
  await page.evaluate(() => {
    const { now } = Date;
    Date.now = () => now() + 31 * 60_000;
  });
  await page.getByRole("button", { name: "Get secret" }).click();
  await page.getByText(/^whsec_/u).waitFor();
  await page.goto("about:blank");
  await waitUntil(async () => (await listWebhooks()).length === 1);
  assert.deepEqual(await listWebhooks(), [{ name: "Receiver test" }]);
});

test("the delivery list loads more rows and filters them, and its webhook is disabled, edited and deleted", async (t, environment) => {
  const page = await environment.openPage(t, { expected: [/40[0-9]/] });
  await createSignedInUser(page);
  const api = await getApiClient(page, environment.instance);
  const id = await createWebhook(api, { name: "Archive", url: "https://archive.example.com/hook" });
  const deliveries = buildDeliveries(api.userId, id, 130);
  await api.callAsService("POST", "/rest/v1/webhook_deliveries", deliveries);
  await api.callAsService("POST", "/rest/v1/webhook_delivery_attempts", deliveries.map(buildAttempt));
  await page.goto("/webhooks");
  await page.getByText("97.7%").first().waitFor();
  await checkAppearance(page, "webhooks");
  await page.getByRole("link", { name: "Open Archive" }).click();
  await page.getByText("100 deliveries so far").waitFor();
  await checkAppearance(page, "webhook");
  await scrollUntil(page, "All 130 deliveries");
  await page.getByLabel("Status").selectOption("Failed");
  await waitUntil(async () => (await page.getByRole("button", { name: "Open the delivery" }).count()) === 3);
  await page.getByRole("combobox", { name: "Event type" }).click();
  await page.getByPlaceholder("Search …").fill("swarm.deleted");
  await page.getByRole("option", { name: "swarm.deleted" }).click();
  await page.getByText("No delivery matches").waitFor();
  assert.match(page.url(), /status=failed&type=swarm\.deleted$/);

  await page.getByRole("tab", { name: "Secret and settings" }).click();
  await page.getByRole("button", { name: "Reveal" }).click();
  await page.getByText(/^whsec_[\w+/=]{44}$/).waitFor();
  const old = await page.locator("[data-secret]").textContent();
  await checkAppearance(page, "webhook-secret");
  await page.getByRole("button", { name: "Rotate …" }).click();
  await page.getByRole("radio", { name: "None" }).click();
  await page.getByText("The receiver at https://archive.example.com/hook rejects all deliveries").waitFor();
  await page.getByRole("radio", { name: "An hour" }).click();
  await page.getByText("if it checks only X-Service-Signature").waitFor();
  await checkAppearance(page, "webhook-rotate");
  await page.getByRole("button", { name: "Rotate", exact: true }).click();
  await page.getByText("The previous secret also signs until").waitFor();
  await takeScreenshot(page, "webhook-rotated");
  await page.getByRole("button", { name: "Done" }).click();
  await page.reload();
  await page.getByText("The previous secret still signs together with the new one").waitFor();
  await page.getByText(/^in (59 min|1 h)/).waitFor();
  await checkAppearance(page, "webhook-old-secret");
  await page.getByRole("button", { name: "End it now …" }).click();
  await scanWithAxe(page);
  await page.getByRole("button", { name: "End it now", exact: true }).click();
  await page.getByText("The previous secret no longer signs.").first().waitFor();
  await page.getByText("The previous secret still signs").waitFor({ state: "detached" });
  assert.deepEqual(await api.call("GET", `/rest/v1/webhook_previous_secrets?webhook_id=eq.${id}`), []);
  await page.getByRole("button", { name: "Reveal" }).click();
  await page.getByText(/^whsec_[\w+/=]{44}$/).waitFor();
  assert.notEqual(await page.locator("[data-secret]").textContent(), old);

  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Disable" }).click();
  await page.getByRole("button", { name: "Enable" }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Send a test" }).waitFor();
  await page.keyboard.press("e");
  await page.getByLabel("Name", { exact: true }).fill("Archive of everything");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { level: 1, name: "Archive of everything" }).waitFor();

  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Delete …" }).click();
  await page.getByLabel(/to confirm/).fill("Archive of everything");
  await scanWithAxe(page);
  await page.getByRole("button", { name: "Delete the webhook" }).click();
  await page.getByRole("heading", { name: "No webhooks yet" }).waitFor();
  await page.goto(`/webhooks/${id}`);
  await page.getByRole("heading", { level: 1, name: "No such webhook" }).waitFor();
  await scanWithAxe(page);
  await page.route("**/rest/v1/webhooks*", (route) =>
    route.fulfill({ status: 400, json: { code: "TEST", message: "Not today" } }),
  );
  await page.goto("/webhooks");
  await page.getByText("The webhooks could not be loaded").waitFor();
  await page.getByText("Not today.").waitFor();
  await scanWithAxe(page);
  const empty = page.getByRole("heading", { name: "No webhooks yet" });
  await retryLoading(page, "**/rest/v1/webhooks*", empty);
});

test("a webhook that was disabled after a 410 shows the reason until it is enabled", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t, { width: NARROW, theme: "dark" });
  const receiver: Receiver = await startReceiver(t, instance);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  receiver.answer(410);
  const id = await createWebhook(api, { name: "Staging", url: receiver.url });
  await page.goto(`/webhooks/${id}`);
  await page.getByRole("button", { name: "Send a test" }).waitFor();
  await api.call("POST", "/rest/v1/agents", { name: "Ada" });
  await page.getByText("The endpoint answered 410 Gone.", { exact: false }).waitFor();
  await page.getByText("Disabled", { exact: true }).waitFor();
  await checkAppearance(page, "webhook-gone");

  // The notice stays until the webhook is enabled.
  await openHome(page);
  const notice = page.getByText(/^The webhook Staging was disabled/);
  await notice.waitFor();
  await page.reload();
  await notice.waitFor();
  await page.getByText("The endpoint answered 410 Gone.", { exact: false }).waitFor();
  await checkAppearance(page, "home-webhook-off");
  await api.call("PATCH", `/rest/v1/webhooks?id=eq.${id}`, { is_active: true });
  await notice.waitFor({ state: "detached" });
  await page.goto(`/webhooks/${id}`);
  await page.getByRole("button", { name: "Send a test" }).waitFor();
  assert.equal(await page.getByText("The service disabled this webhook").count(), 0);
});

test("the success rate counts all attempts of the last day, including those of unfinished deliveries", async (t, environment) => {
  const page = await environment.openPage(t);
  const receiver = await startReceiver(t, environment.instance);
  await createSignedInUser(page);
  const api = await getApiClient(page, environment.instance);
  const id = await createWebhook(api, { name: "Flaky", url: receiver.url });
  const addAgents = (names: readonly string[]) =>
    api.call(
      "POST",
      "/rest/v1/agents",
      names.map((name) => ({ name })),
    );
  const countAttempts = async () =>
    ((await api.call("GET", `/rest/v1/webhook_delivery_attempts?webhook_id=eq.${id}&select=id`)) as unknown[]).length;
  await addAgents(["First"]);
  await waitUntil(async () => (await countAttempts()) === 1);
  receiver.answer(503);
  await addAgents(Array.from({ length: 10 }, (_, at) => `Agent ${at}`));
  await waitUntil(async () => (await countAttempts()) === 11);
  await page.goto(`/webhooks/${id}`);
  await page.getByText("1 of 11 attempts").waitFor();
  await page.getByText("9.1%").waitFor();
  await checkAppearance(page, "webhook-health");
  await navigate(page, "/webhooks");
  await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
  await page.getByText("9.1%").first().waitFor();

  // Neither a test nor its retries count, and the list says which deliveries are tests.
  await api.call("POST", "/functions/v1/test-webhook", { webhook_id: id, event_type: "user.role_changed" });
  receiver.answer(200);
  const query = `webhook_id=eq.${id}&event_type=eq.user.role_changed&select=id`;
  const [tested] = (await api.call("GET", `/rest/v1/webhook_deliveries?${query}`)) as { id: string }[];
  await api.call("POST", "/functions/v1/webhook-dispatcher", { action: "retry", delivery_id: tested?.id });
  await navigate(page, `/webhooks/${id}?type=user.role_changed`);
  await page.getByText("Last response: 200").waitFor({ state: "attached" });
  await page.getByText("Attempts: 2", { exact: true }).waitFor({ state: "attached" });
  await page.getByText("Test", { exact: true }).first().waitFor({ state: "attached" });
  await page.getByText("1 of 11 attempts, without tests").waitFor();
});

test("deliveries update the webhook and the list of webhooks without polling, also after realtime was lost", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  const receiver = await startReceiver(t, instance);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const id = await createWebhook(api, { name: "Watched", url: receiver.url });
  const sockets = new Set<WebSocketRoute>();
  let isLost = false;
  await page.routeWebSocket(/realtime/, (socket) => {
    if (isLost) return void socket.close({ code: 1001 });
    sockets.add(socket);
    socket.connectToServer();
  });
  await stopPolling(page);
  const addAgent = () => api.call("POST", "/rest/v1/agents", { name: "Ada" });
  await page.goto(`/webhooks/${id}`);
  await page.getByRole("heading", { name: "Watched" }).waitFor();
  await addAgent();
  await page.getByText("1 of 1 attempts").waitFor();

  await page.getByRole("main").getByRole("link", { name: "Webhooks" }).click();
  await page.getByText("100%").first().waitFor();
  receiver.answer(503);
  await addAgent();
  await page.getByText("50%").first().waitFor();

  isLost = true;
  await Promise.all([...sockets].map((socket) => socket.close({ code: 1001 })));
  await addAgent();
  await waitUntil(async () => receiver.received.length === 3);
  isLost = false;
  await page.getByText("33.3%").first().waitFor();
});

test("a delivery that waits for the rate limit shows until when", async (t, { openPage, instance }) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const id = await createWebhook(api, { name: "Archive", url: "https://archive.example.com/hook" });
  const [waiting] = buildDeliveries(api.userId, id, 1);
  const [delivery] = (await api.callAsService("POST", "/rest/v1/webhook_deliveries", {
    ...waiting,
    status: "pending",
    status_code: null,
    attempts: 0,
    scheduled_for: new Date(Date.now() + 50 * 60_000).toISOString(),
  })) as { id: string }[];
  await page.goto(`/webhooks/${id}`);
  await page.getByText("Waiting for the rate limit").first().waitFor();
  await page
    .getByText(/^in (49|50) min/)
    .filter({ visible: true })
    .waitFor();
  await checkAppearance(page, "webhook-waiting");
  await navigate(page, `/webhooks/${id}/deliveries/${delivery?.id}`);
  await page.getByText("The rate limit for webhook sends is used up").waitFor();
  await page
    .getByText(/^in (49|50) min/)
    .first()
    .waitFor();
  await checkAppearance(page, "delivery-waiting");
});

async function createWebhook(api: ApiClient, webhook: Readonly<Record<string, unknown>>): Promise<string> {
  const body = { events: ["agent.created", "agent.deleted"], ...webhook };
  const [made] = (await api.call("POST", "/rest/v1/webhooks", body)) as { id: string }[];
  return made?.id ?? "";
}

interface DeliveryRow {
  readonly id: string;
  readonly webhook_id: string;
  readonly user_id: string;
  readonly status: string;
  readonly status_code: number | null;
  readonly created_at: string;
}

function buildAttempt({ id, webhook_id, user_id, status, status_code, created_at }: DeliveryRow): unknown {
  const outcome = status === "failed" ? "failed" : "delivered";
  const sent = { url: "https://archive.example.com/hook", attempt: 1, cause: "schedule", response_time_ms: 12 };
  return { delivery_id: id, webhook_id, user_id, status_code, outcome, created_at, ...sent };
}

function buildDeliveries(userId: string, webhookId: string, count: number): DeliveryRow[] {
  return Array.from({ length: count }, (_, at) => {
    const eventId = randomUUID();
    const time = new Date(Date.now() - at * 60_000).toISOString();
    const isFailed = at % 50 === 0;
    const payload = {
      id: `evt_${eventId}`,
      type: "agent.created",
      created_at: time,
      api_version: "2026-11-15",
      data: {},
    };
    return {
      id: randomUUID(),
      webhook_id: webhookId,
      user_id: userId,
      event_id: eventId,
      event_type: "agent.created",
      payload,
      status: isFailed ? "failed" : "delivered",
      status_code: isFailed ? 500 : 200,
      attempts: 1,
      delivered_at: isFailed ? null : time,
      created_at: time,
    };
  });
}

async function scrollUntil(page: Page, text: string): Promise<void> {
  await page.setViewportSize({ width: WIDE, height: 900 });
  const end = page.getByText(text);
  while (!(await end.isVisible())) await page.mouse.wheel(0, 2_000);
}
