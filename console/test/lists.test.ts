import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { type ApiClient, getApiClient } from "./support/api-client.ts";
import { checkAppearance } from "./support/appearance.ts";
import { createBrowserTest } from "./support/browser-test.ts";
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
  await page.getByRole("checkbox").first().click();
  await page.getByRole("button", { name: "Stop …" }).click();
  await page.getByRole("button", { name: "Stop 1 run" }).click();
  await page.getByText("1 run stopped.").first().waitFor();
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
