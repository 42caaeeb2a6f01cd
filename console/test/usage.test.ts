import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { scanWithAxe } from "./support/axe.ts";
import type { Instance } from "./support/instance.ts";
import { comeIn, signIn } from "./support/people.ts";
import { keepScreenshot } from "./support/screenshots.ts";
import { NARROW, setStage } from "./support/stage.ts";
import { tryAgain } from "./support/try-again.ts";
import { readSession } from "./support/visitors.ts";

const test = setStage();
const DAY_MS = 86_400_000;

interface Filled {
  readonly agentId: string;
}

/** Writes what agents would have used, as the service does: two agents, two models, three days. */
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

test("usage shows itself as it happens, told apart by agent and model, and is saved as CSV", async (t, stage) => {
  const page = await stage.openPage(t);
  const person = await comeIn(page);
  await page.goto("/usage");
  await page.getByRole("heading", { name: "Nothing was used in the last 30 days" }).waitFor();
  await scanWithAxe(page);
  await keepScreenshot(page, "usage-empty");

  const { agentId } = await fillUsage(page, stage.instance);
  // Nothing is pressed: realtime tells of it.
  await page.getByRole("link", { name: "=Ada" }).first().waitFor();
  assert.equal(await page.getByRole("link", { name: "=Ada" }).first().getAttribute("href"), `/agents/${agentId}`);
  await page.getByText("$0.75", { exact: true }).first().waitFor();
  await page.getByRole("img", { name: "Tokens each day" }).waitFor();
  await page.getByText("Show as a table").click();
  await page.getByRole("columnheader", { name: "=Ada" }).waitFor();
  await scanWithAxe(page);
  await keepScreenshot(page, "usage");

  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  const lines = (await readFile(await (await saving).path(), "utf8")).trim().split("\r\n");
  assert.equal(lines.length, 7);
  assert.match(lines[1] ?? "", new RegExp(`^\\d{4}-\\d\\d-\\d\\d,${agentId},'=Ada,,,provider_a,model-two,1,40000,`));

  await chooseInOneBreath(page, "Models", "Cost");
  await page.getByText("model-two").first().waitFor();
  await page.waitForURL(/by=model&measure=cost/);

  const narrow = await stage.openPage(t, { width: NARROW, theme: "dark" });
  await narrow.goto("/usage?days=7&by=agent");
  await signIn(narrow, person);
  await narrow.getByRole("img", { name: "Tokens each day" }).waitFor();
  await scanWithAxe(narrow);
  await keepScreenshot(narrow, "usage");
  const width = await narrow.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= NARROW, `the page is ${width} wide`);
});

/** Before the page has had time for a frame: what is chosen second must not undo what was chosen first. */
async function chooseInOneBreath(page: Page, ...names: readonly string[]): Promise<void> {
  const choices = await Promise.all(names.map((name) => page.getByRole("radio", { name }).elementHandle()));
  await page.evaluate((found) => {
    for (const choice of found) (choice as HTMLElement).click();
  }, choices);
}

test("a budget is measured against, and what fails can be tried again", async (t, stage) => {
  const page = await stage.openPage(t, { theme: "dark", expected: [/400/, /500/] });
  await comeIn(page);
  await fillUsage(page, stage.instance);
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
  await page.getByRole("link", { name: "See what is used" }).click();
  await page.getByText("Usage could not be loaded").waitFor();
  await scanWithAxe(page);
  await tryAgain(page, failing, page.getByText("Used up"));
  assert.equal(await page.getByRole("meter", { name: "Tokens today" }).getAttribute("aria-valuenow"), "100");
  await page.getByText("Daily budget, 50K").waitFor();
  await keepScreenshot(page, "usage-budget");
  await scanWithAxe(page);
});
