import assert from "node:assert/strict";
import { until } from "../../server/test/support/until.ts";
import { getApiClient } from "./support/api-client.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import { countClicks } from "./support/count-clicks.ts";
import { createSignedInUser, openHome, signUp } from "./support/people.ts";
import { startReceiver } from "./support/receiver.ts";
import { createSwarm } from "./support/swarms.ts";

const test = createBrowserTest();
const DAY_MS = 86_400_000;

test("a new account has its first answer after at most three clicks", async (t, { openPage }) => {
  const page = await openPage(t);
  await signUp(page);
  const clicks = await countClicks(page);
  await page.getByRole("button", { name: "Set it up for me" }).click();
  await page.waitForURL(/\/swarms\/[^/]+$/);
  await page
    .getByText(/^\[simulated\]/)
    .first()
    .waitFor();
  assert.ok((await clicks.count()) <= 3, String(await clicks.count()));
});

test("the slowest run of yesterday is open after at most three clicks", async (t, { openPage, instance }) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId } = await createSwarm(api, ["Ada"]);
  const runs: string[] = [];
  for (const message of ["Slow", "Slowest", "Quick", "Today"]) {
    const asked = await api.call("POST", "/functions/v1/agent-respond", { swarm_id: swarmId, message });
    runs.push((asked as { run_id: string }).run_id);
  }
  const noon = new Date(Date.now() - DAY_MS).setHours(12, 0, 0, 0);
  const at = (ms: number) => new Date(noon + ms).toISOString();
  for (const [index, seconds] of [20, 300, 1].entries())
    await api.callAsService("PATCH", `/rest/v1/runs?id=eq.${runs[index]}`, {
      created_at: at(0),
      started_at: at(0),
      finished_at: at(seconds * 1000),
    });
  await openHome(page);
  const clicks = await countClicks(page);
  await page.getByRole("link", { name: "slowest" }).click();
  const opened = page.getByRole("button", { name: /^Open the run: / });
  await opened.nth(2).waitFor();
  assert.equal(await opened.count(), 3);
  await opened.first().click();
  await page.waitForURL(`/runs/${runs[1]}`);
  assert.ok((await clicks.count()) <= 3, String(await clicks.count()));
});

test("a failing webhook is fixed and its delivery sent again with at most six clicks", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  const [broken, working] = [await startReceiver(t, instance), await startReceiver(t, instance)];
  broken.answer(404);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  await createSwarm(api, ["Ada"]);
  await api.call("POST", "/rest/v1/webhooks", {
    name: "Analytics",
    url: broken.url,
    events: ["agent.created"],
    retry_count: 0,
  });
  await api.call("POST", "/rest/v1/agents", { name: "Ben" });
  const listFailed = async () =>
    (await api.call("GET", "/rest/v1/webhook_deliveries?status=eq.failed&select=id")) as unknown[];
  await until(async () => (await listFailed()).length > 0, "the delivery has failed");
  await openHome(page);
  const clicks = await countClicks(page);
  await page.getByRole("link", { name: "View deliveries" }).click();
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await page.getByLabel("URL", { exact: true }).fill(working.url);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Retry now: agent.created" }).click();
  await page.getByRole("button", { name: "Open the delivery of agent.created, delivered" }).waitFor();
  assert.equal(working.received.length, 1);
  assert.ok((await clicks.count()) <= 6, String(await clicks.count()));
});

test("two prompts are compared over five cases with at most eight clicks", async (t, { openPage, instance }) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  await createSwarm(api, ["Ada"]);
  const [dataset] = (await api.call("POST", "/rest/v1/eval_datasets", { name: "Five questions" })) as { id: string }[];
  const cases = ["one", "two", "three", "four", "five"].map((name) => ({
    dataset_id: dataset?.id,
    name,
    input: `Say ${name}`,
    expectation: { kind: "contains", texts: [name] },
  }));
  await api.call("POST", "/rest/v1/eval_cases", cases);
  await openHome(page);
  const clicks = await countClicks(page);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Playground" }).click();
  await page.getByRole("button", { name: "Change column B" }).click();
  await page.getByLabel("Instructions").fill("Speak like a sailor.");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Ask cases …" }).click();
  await page.getByRole("button", { name: "Ask 5 cases" }).click();
  for (const name of ["Column A", "Column B"])
    await page
      .getByRole("region", { name })
      .getByText(/^\[simulated\]/)
      .nth(4)
      .waitFor();
  await page.getByRole("button", { name: "Differences from A" }).click();
  await page.getByRole("region", { name: "Column B" }).locator("ins, del").first().waitFor();
  assert.ok((await clicks.count()) <= 8, String(await clicks.count()));
});
