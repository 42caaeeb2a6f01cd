import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { type ApiClient, getApiClient } from "./support/api-client.ts";
import { checkAppearance } from "./support/appearance.ts";
import { createBrowserTest, NARROW, WIDE } from "./support/browser-test.ts";
import { createPerson, createSignedInUser, navigate } from "./support/people.ts";
import { assignTools, createSwarm } from "./support/swarms.ts";

const test = createBrowserTest();

test("several rows of a list are selected and changed with one confirmation and one request", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const names = ["Delta", "Alpha", "Charlie", "Bravo", "Echo"];
  for (const name of names) await api.call("POST", "/rest/v1/agents", { name });
  await page.goto("/agents");
  await page.getByRole("combobox", { name: "Order" }).selectOption("By name");
  await page.waitForURL(/sort=name/);
  await waitForOrder(page, ["Alpha", "Bravo", "Charlie", "Delta", "Echo"]);
  await page.reload();
  await waitForOrder(page, ["Alpha", "Bravo", "Charlie", "Delta", "Echo"]);

  await boxOf(page, "Alpha").click();
  await boxOf(page, "Charlie").click({ modifiers: ["Shift"] });
  await page.getByText("3 agents selected").waitFor();
  // The keyboard does the same.
  await boxOf(page, "Echo").focus();
  await page.keyboard.press("Shift+Space");
  await page.getByText("5 agents selected").waitFor();
  await boxOf(page, "Alpha").press("Space");
  await page.getByText("4 agents selected").waitFor();
  await checkAppearance(page, "agents-selected");
  const writes = countWrites(page);
  await page.getByRole("button", { name: "Delete …" }).click();
  await page.getByRole("dialog", { name: "Delete 4 agents?" }).getByText("Bravo").waitFor();
  await page.getByRole("button", { name: "Delete 4 agents" }).click();
  await page.getByText("4 agents deleted.").first().waitFor();
  await waitForOrder(page, ["Alpha"]);
  assert.deepEqual(writes, ["DELETE agents"]);
});

test("a bulk action tells what it could not change, and pauses webhooks, stops runs and marks swarms as read", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const host = await openPage(t);
  await createSignedInUser(host, createPerson("Mary"));
  const hostApi = await getApiClient(host, instance);
  const { swarmId: foreign } = await createSwarm(hostApi, [], { name: "Of Mary" });
  const membership = { swarm_id: foreign, user_id: api.userId, role: "member", status: "active" };
  await api.callAsService("POST", "/rest/v1/swarm_members", membership);
  await hostApi.call("POST", "/rest/v1/messages", { swarm_id: foreign, content: "Hello" });
  const { agentIds, swarmId } = await createSwarm(api, ["Ada"], { name: "Own" });
  await assignTools(api, agentIds[0] ?? "");
  await createSwarm(api, [], { name: "Spare" });
  for (const name of ["First", "Second"]) await createWebhook(api, name);

  await page.goto("/swarms");
  await page.getByText("1 unread").waitFor();
  await boxOf(page, "Of Mary").click();
  await page.getByRole("button", { name: "Mark as read …" }).click();
  await page.getByRole("button", { name: "Mark as read 1 swarm" }).click();
  await page.getByText("1 unread").waitFor({ state: "detached" });
  await boxOf(page, "Of Mary").click();
  await boxOf(page, "Spare").click();
  await page.getByRole("button", { name: "Delete …" }).click();
  await page.getByRole("button", { name: "Delete 2 swarms" }).click();
  await page
    .getByText(/^1 of 2 swarms deleted\./)
    .first()
    .waitFor();
  await page.getByRole("link", { name: "Of Mary" }).waitFor();

  await navigate(page, "/webhooks");
  const writes = countWrites(page);
  await boxOf(page, "First").click();
  await page.getByRole("button", { name: "Select all shown" }).click();
  await page.getByRole("button", { name: "Pause …" }).click();
  await page.getByRole("button", { name: "Pause 2 webhooks" }).click();
  await page.getByText("2 webhooks paused.").first().waitFor();
  assert.deepEqual(writes, ["PATCH webhooks"]);
  const active = await api.call("GET", "/rest/v1/webhooks?is_active=is.true&select=id");
  assert.deepEqual(active, []);

  const asked = { swarm_id: swarmId, message: 'Write\n/tool send_mail {"to":"bob"}', background: true };
  await api.call("POST", "/functions/v1/agent-respond", asked);
  await page.getByRole("link", { name: "Approvals 1 waiting" }).waitFor();
  await navigate(page, "/runs");
  await boxOf(page, "Write").click();
  await page.getByRole("button", { name: "Stop …" }).click();
  await page.getByRole("button", { name: "Stop 1 run" }).click();
  await page.getByText("1 run stopped.").first().waitFor();
});

test("a list is filtered by chips, ordered by cost, walked by keys, and exported as what it selects", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId } = await createSwarm(api, ["Ada"], { name: "Own" });
  const ask = (message: string) => api.call("POST", "/functions/v1/agent-respond", { swarm_id: swarmId, message });
  for (const message of ["First", "=HYPERLINK(1)", "Third"]) await ask(message);
  const [first] = (await api.call("GET", "/rest/v1/runs?select=id,duration_ms&order=id&limit=1")) as {
    id: string;
    duration_ms: number;
  }[];
  assert.ok((first?.duration_ms ?? -1) >= 0, "a run has the time that it took");
  await api.callAsService("PATCH", `/rest/v1/runs?id=eq.${first?.id}`, {
    usage: { total_tokens: 9, cost_usd: 12.5 },
    started_at: "2020-01-01T00:00:00Z",
    error: { code: "TIMEOUT", message: "late" },
  });
  const opened = page.getByRole("button", { name: /^Open the run: / });
  const names = async (): Promise<readonly string[]> =>
    (await opened.evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label") ?? ""))).map((label) =>
      label.replace("Open the run: ", ""),
    );
  await page.goto("/runs");
  await opened.nth(2).waitFor();
  assert.equal((await names())[0], "Third");
  for (const order of ["Most expensive first", "Slowest first", "Errors first"]) {
    await page.getByRole("combobox", { name: "Order" }).selectOption(order);
    await page.waitForFunction(
      () => document.querySelector("[data-row] button")?.getAttribute("aria-label") === "Open the run: First",
    );
    // The others differ in nothing but how long they took.
    assert.deepEqual((await names()).slice(1).toSorted(), ["=HYPERLINK(1)", "Third"], order);
  }
  // These orders compare the runs of a limited time, also if no time is chosen.
  await page.getByText("Runs of the last 7 days.").waitFor();
  await api.callAsService("PATCH", `/rest/v1/runs?id=eq.${first?.id}`, { created_at: "2020-01-01T00:00:00Z" });
  await page.reload();
  await opened.nth(1).waitFor();
  assert.deepEqual((await names()).toSorted(), ["=HYPERLINK(1)", "Third"]);
  await page.getByRole("combobox", { name: "Order" }).selectOption("Newest first");
  await opened.nth(2).waitFor();
  assert.equal(await page.getByText("Runs of the last 7 days.").count(), 0);
  await api.callAsService("PATCH", `/rest/v1/runs?id=eq.${first?.id}`, { created_at: new Date().toISOString() });
  await page.getByRole("combobox", { name: "Starter" }).selectOption("Grace Hopper");
  await opened.nth(2).waitFor();
  const [{ model } = { model: "" }] = (await api.call("GET", "/rest/v1/run_turns?select=model&limit=1")) as {
    model: string;
  }[];
  await page.goto(`/runs?model=${encodeURIComponent(model)}`);
  await opened.nth(2).waitFor();
  await page.goto("/runs?model=another-one");
  await page.getByText("No run matches").waitFor();
  await page.goto(`/runs?starter=${swarmId}`);
  await page.getByText("No run matches").waitFor();
  await page.goto("/runs");
  await opened.nth(2).waitFor();
  await page.getByRole("combobox", { name: "Time" }).selectOption("Last hour");
  await page.waitForURL(/time=hour/);
  await page.getByRole("button", { name: "Remove the filter Time" }).waitFor();
  await page.getByRole("combobox", { name: "Status" }).selectOption("Failed");
  await page.getByText("No run matches").waitFor();
  await page.getByRole("button", { name: "Remove the filter Status" }).click();
  await opened.nth(2).waitFor();
  assert.equal(await page.getByRole("button", { name: "Remove the filter Time" }).count(), 1);

  await page.keyboard.press("j");
  await page.keyboard.press("j");
  assert.equal(
    await page.evaluate(() => document.activeElement?.getAttribute("aria-label")),
    "Open the run: =HYPERLINK(1)",
  );
  await page.keyboard.press("k");
  await page.keyboard.press("j");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export as CSV" }).click();
  const file = await (await download).createReadStream();
  const text = Buffer.concat(await file.toArray()).toString();
  assert.match(text, /^Id,Question,Swarm,Agent,Model,Started by,Status,/u);
  assert.match(text, /,'=HYPERLINK\(1\),Own,Ada,/u, "a spreadsheet does not evaluate it");
  assert.equal(text.trim().split("\r\n").length, 4);

  await page.setViewportSize({ width: NARROW, height: 740 });
  await page.getByRole("button", { name: "Filters" }).click();
  const sheet = page.getByRole("dialog", { name: "Filters" });
  await sheet.getByLabel("Agent", { exact: true }).selectOption("Ada");
  await sheet.getByRole("button", { name: "Show" }).click();
  await page.getByRole("button", { name: "Remove the filter Agent" }).waitFor();
  await checkAppearance(page, "list-filters");
  await page.setViewportSize({ width: WIDE, height: 900 });
  await opened.nth(0).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/);

  await createSwarm(api, [], { name: "Spare" });
  await navigate(page, "/swarms");
  await page.getByRole("link", { name: "Spare" }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.getByText("1 swarm selected").waitFor();
});

function boxOf(page: Page, name: string) {
  return page.getByRole("checkbox", { name: `Select ${name}` });
}

async function waitForOrder(page: Page, names: readonly string[]): Promise<void> {
  await page.waitForFunction(
    (wanted) => [...document.querySelectorAll("h2")].map(({ textContent }) => textContent).join() === wanted,
    names.join(),
  );
}

function countWrites(page: Page): readonly string[] {
  const writes: string[] = [];
  page.on("request", (request) => {
    const [, table] = /\/rest\/v1\/(\w+)/.exec(request.url()) ?? [];
    if (table !== undefined && table !== "rpc" && !["GET", "HEAD", "OPTIONS"].includes(request.method()))
      writes.push(`${request.method()} ${table}`);
  });
  return writes;
}

async function createWebhook(api: ApiClient, name: string): Promise<void> {
  const url = `https://receiver.example.com/${randomUUID()}`;
  await api.call("POST", "/rest/v1/webhooks", { name, url, events: ["agent.deleted"] });
}
