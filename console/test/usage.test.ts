import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { scanWithAxe } from "./support/axe.ts";
import type { Instance } from "./support/instance.ts";
import { createSignedInUser, signIn } from "./support/people.ts";
import { takeScreenshot } from "./support/screenshots.ts";
import { NARROW, createBrowserTest } from "./support/browser-test.ts";
import { retryLoading } from "./support/retry.ts";
import { readSession } from "./support/browser-contexts.ts";

const test = createBrowserTest();
const DAY_MS = 86_400_000;

interface Filled {
  readonly agentId: string;
}

/** Inserts usage of two agents and two models on three days. */
async function fillUsage(page: Page, instance: Instance): Promise<Filled> {
  const { access_token: token, user } = await readSession(page);
  const post = async (table: string, key: string, data: object): Promise<{ id: string }[]> => {
    const apikey = key === token ? instance.anon_key : key;
    const headers = { apikey, authorization: `Bearer ${key}`, prefer: "return=representation" };
    const answer = await page.request.post(`${instance.url}/rest/v1/${table}`, { headers, data });
    assert.ok(answer.ok(), await answer.text());
    return (await answer.json()) as { id: string }[];
  };
  const agents = await post("agents", token, [{ name: "=Ada" }, { name: "Max" }]);
  const rows = agents.flatMap(({ id }, at) =>
    [0, 1, 2].map((day) => ({
      payer_id: user.id,
      user_id: user.id,
      agent_id: id,
      framework: "provider_a",
      model: day === 0 ? "model-one" : "model-two",
      input_tokens: 40_000 - at * 30_000,
      output_tokens: 1_000,
      cost_usd: at === 0 ? 0.25 : null,
      created_at: new Date(Date.now() - day * DAY_MS).toISOString(),
    })),
  );
  await post("usage_records", instance.service_role_key, rows);
  return { agentId: agents[0]?.id ?? "" };
}

test("the usage page updates live, splits by agent and model, and saves CSV", async (t, environment) => {
  const page = await environment.openPage(t);
  const person = await createSignedInUser(page);
  await page.goto("/usage");
  await page.getByRole("heading", { name: "No usage in the last 30 days" }).waitFor();
  await scanWithAxe(page);
  await takeScreenshot(page, "usage-empty");

  const { agentId } = await fillUsage(page, environment.instance);
  // Realtime updates the page without a click.
  await page.getByRole("link", { name: "=Ada" }).first().waitFor();
  assert.equal(await page.getByRole("link", { name: "=Ada" }).first().getAttribute("href"), `/agents/${agentId}`);
  await page.getByText("$0.75", { exact: true }).first().waitFor();
  await page.getByRole("img", { name: "Tokens each day" }).waitFor();
  await page.getByText("Show as a table").click();
  await page.getByRole("columnheader", { name: "=Ada" }).waitFor();
  await scanWithAxe(page);
  await takeScreenshot(page, "usage");

  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export as CSV" }).click();
  const lines = (await readFile(await (await saving).path(), "utf8")).trim().split("\r\n");
  assert.equal(lines.length, 7);
  assert.match(lines[1] ?? "", new RegExp(`^\\d{4}-\\d\\d-\\d\\d,${agentId},'=Ada,,,provider_a,model-two,1,40000,`));

  await selectInOneFrame(page, "Models", "Cost");
  await page.getByText("model-two").first().waitFor();
  await page.waitForURL(/by=model&measure=cost/);

  const narrow = await environment.openPage(t, { width: NARROW, theme: "dark" });
  await narrow.goto("/usage?days=7&by=agent");
  await signIn(narrow, person);
  await narrow.getByRole("img", { name: "Tokens each day" }).waitFor();
  await scanWithAxe(narrow);
  await takeScreenshot(narrow, "usage");
  const width = await narrow.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= NARROW, `the page is ${width} wide`);
});

/** Selects several filters within one frame: the second must not overwrite the first. */
async function selectInOneFrame(page: Page, ...names: readonly string[]): Promise<void> {
  const choices = await Promise.all(names.map((name) => page.getByRole("radio", { name }).elementHandle()));
  await page.evaluate((found) => {
    for (const choice of found) (choice as HTMLElement).click();
  }, choices);
}

test("the usage page shows the budget, and a retry button after a failed request", async (t, environment) => {
  const page = await environment.openPage(t, { theme: "dark", expected: [/400/, /500/] });
  await createSignedInUser(page);
  await fillUsage(page, environment.instance);
  await page.goto("/account/budgets");
  await page.getByLabel("Tokens a day").fill("many");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").getByText("must be a whole number").waitFor();
  await page.getByLabel("Tokens a day").fill("50,000");
  await page.getByLabel("Dollars a day").fill("-1");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("[aria-invalid=true]").waitFor();
  await scanWithAxe(page);
  await page.getByLabel("Dollars a day").fill("");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Your budgets are saved.").first().waitFor();

  const failing = "**/rest/v1/usage_daily*";
  await page.route(failing, (route) => route.fulfill({ status: 500, json: { message: "Out of order" } }));
  await page.getByRole("link", { name: "View usage" }).click();
  await page.getByText("Usage could not be loaded").waitFor();
  await scanWithAxe(page);
  await retryLoading(page, failing, page.getByText("The budget is used up"));
  assert.equal(await page.getByRole("meter", { name: "Tokens today" }).getAttribute("aria-valuenow"), "100");
  await page.getByText("Daily budget, 50K").waitFor();
  await takeScreenshot(page, "usage-budget");
  await scanWithAxe(page);
});
