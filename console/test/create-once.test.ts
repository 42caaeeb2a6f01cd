import assert from "node:assert/strict";
import type { Page, Request } from "playwright-core";
import { getApiClient } from "./support/api-client.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import { createSignedInUser, navigate, openHome } from "./support/people.ts";

const test = createBrowserTest();

interface Form {
  readonly path: string;
  readonly title: string;
  /** The table that gets the row. */
  readonly table: string;
  readonly action: string;
  fill(page: Page): Promise<void>;
  /** Waits until the row is there and the form is gone. */
  untilLeft(page: Page): Promise<void>;
}

const fillName = (page: Page): Promise<void> => page.getByLabel("Name", { exact: true }).fill("Ada");
const leavesTo = (address: RegExp) => (page: Page) => page.waitForURL(address);
const FORMS: readonly Form[] = [
  {
    path: "/agents/new",
    title: "New agent",
    table: "agents",
    action: "Create agent",
    fill: fillName,
    untilLeft: leavesTo(/\/agents\/[^/]+\/try$/),
  },
  {
    path: "/swarms/new",
    title: "New swarm",
    table: "swarms",
    action: "Create swarm",
    fill: fillName,
    untilLeft: leavesTo(/\/swarms\/[\da-f-]{36}$/),
  },
  {
    path: "/webhooks/new",
    title: "New webhook",
    table: "webhooks",
    action: "Create webhook",
    fill: fillWebhook,
    untilLeft: leavesTo(/\/webhooks\/[\da-f-]{36}$/),
  },
  {
    path: "/tools/new",
    title: "New tool",
    table: "tools",
    action: "Create tool",
    fill: async (page) => {
      await page.getByLabel("Name", { exact: true }).fill("find_order");
      await page.getByLabel("Description", { exact: true }).fill("Looks up an order.");
      await page.getByLabel("Address").fill("https://example.com/orders");
    },
    untilLeft: leavesTo(/\/tools\/[\da-f-]{36}\/test$/),
  },
  {
    path: "/guardrails/new",
    title: "New guardrail",
    table: "guardrails",
    action: "Create guardrail",
    fill: async (page) => {
      await fillName(page);
      await page.getByLabel("Regular expression").fill("[0-9]{4}");
    },
    untilLeft: leavesTo(/\/guardrails\/[\da-f-]{36}$/),
  },
  {
    path: "/evals/new",
    title: "New dataset",
    table: "eval_datasets",
    action: "Create dataset",
    fill: fillName,
    untilLeft: leavesTo(/\/evals\/[\da-f-]{36}$/),
  },
  {
    path: "/account/keys",
    title: "Account",
    table: "api_keys",
    action: "Create key",
    fill: async (page) => {
      await page.getByRole("button", { name: "Create API key" }).click();
      await page.getByRole("dialog").getByLabel("Name").fill("deploy");
    },
    untilLeft: (page) => page.getByRole("dialog").waitFor({ state: "detached" }),
  },
];

test("a double click creates one row, with an Idempotency-Key", async (t, { instance, openPage }) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  await openHome(page);
  const api = await getApiClient(page, instance);
  for (const { path, title, table, action, fill, untilLeft } of FORMS) {
    const sent: Request[] = [];
    const note = (request: Request): void => {
      const isCreate = new RegExp(`/rest/v1/${table}(?:\\?|$)|/functions/v1/api-keys$`).test(request.url());
      if (request.method() === "POST" && isCreate) sent.push(request);
    };
    page.on("request", note);
    await navigate(page, path);
    // The page before this one may have a field of the same name.
    await page.getByRole("heading", { level: 1, name: title }).waitFor();
    await fill(page);
    await page.getByRole("button", { name: action }).dblclick();
    await untilLeft(page);
    page.off("request", note);
    assert.equal(sent.length, 1, `${action}: requests`);
    const own = table === "tools" ? "&visibility=eq.private" : "";
    const rows = (await api.call("GET", `/rest/v1/${table}?select=id${own}`)) as readonly unknown[];
    assert.equal(rows.length, 1, `${action}: rows`);
    // The call that creates an API key is a function, which takes no key: its answer cannot be given again.
    if (table !== "api_keys") assert.match(sent[0]?.headers()["idempotency-key"] ?? "", /^[\da-f-]{36}$/, action);
  }
});

test("a form that got no answer creates one row when it is sent again", async (t, { instance, openPage }) => {
  const page = await openPage(t, { expected: [/net::ERR_FAILED/] });
  await createSignedInUser(page);
  await openHome(page);
  await navigate(page, "/agents/new");
  await fillName(page);
  await page.route("**/rest/v1/agents?*", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    await route.abort();
  });
  const make = page.getByRole("button", { name: "Create agent" });
  await make.click();
  await page.getByRole("form", { name: "New agent" }).getByText("The service cannot be reached.").waitFor();
  await page.unroute("**/rest/v1/agents?*");
  await make.click();
  await page.waitForURL(/\/agents\/[^/]+\/try$/);
  const api = await getApiClient(page, instance);
  assert.equal(((await api.call("GET", "/rest/v1/agents?select=id")) as readonly unknown[]).length, 1);
});

test("a form stays disabled until the page of the new row is shown", async (t, { instance, openPage }) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  await page.goto("/webhooks/new");
  await fillWebhook(page);
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await page.route("**/*.js", async (route) => {
    held.resolve();
    await released.promise;
    await route.continue();
  });
  await page.getByRole("button", { name: "Create webhook" }).click();
  await held.promise;
  // As a slow second click or the Enter key do it.
  await page.evaluate(() =>
    document.querySelector<HTMLFormElement>('form[aria-label="Create webhook"]')?.requestSubmit(),
  );
  assert.equal(await page.getByRole("button", { name: "Create webhook" }).isDisabled(), true);
  released.resolve();
  await page.waitForURL(/\/webhooks\/[\da-f-]{36}$/);
  await page.getByRole("heading", { level: 1, name: "Ada" }).waitFor();
  const api = await getApiClient(page, instance);
  assert.equal(((await api.call("GET", "/rest/v1/webhooks?select=id")) as readonly unknown[]).length, 1);
});

async function fillWebhook(page: Page): Promise<void> {
  await fillName(page);
  await page.getByLabel("URL").fill("https://example.com/hook");
  await page.getByRole("checkbox", { name: "Agents" }).click();
}
