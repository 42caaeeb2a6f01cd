import assert from "node:assert/strict";
import { test as plainTest } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { AgentValues } from "../src/data/playground-state.ts";
import { listChanges, renderCall } from "../src/pages/agents/playground/column-values.ts";
import { getApiClient, type ApiClient } from "./support/api-client.ts";
import { checkAppearance } from "./support/appearance.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import { createSignedInUser } from "./support/people.ts";
import { takeScreenshot } from "./support/screenshots.ts";
import { assignTools } from "./support/swarms.ts";

const test = createBrowserTest();

async function createAgents(api: ApiClient, names: readonly string[]): Promise<readonly string[]> {
  const rows = names.map((name) => ({ name, system_prompt: `You are ${name}.` }));
  return ((await api.call("POST", "/rest/v1/agents", rows)) as { id: string }[]).map(({ id }) => id);
}

async function askAll(page: Page, words: string): Promise<void> {
  await page.getByLabel("Message to all columns").fill(words);
  await page.keyboard.press("Enter");
}

/** The last figure of this name in a column. */
function figure(column: Locator, name: string): Locator {
  return column.locator("dt").filter({ hasText: name }).last().locator("xpath=following-sibling::dd");
}

test("one question gets answers of several columns with their figures, which a reload keeps and a further question continues", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const [ada = ""] = await createAgents(api, ["Ada", "Max"]);
  await assignTools(api, ada);
  await page.goto("/agents");
  await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Search everything").fill("playgr");
  await page.getByRole("option", { name: "Playground" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("/playground");
  const [a, b] = [page.getByRole("region", { name: "Column A" }), page.getByRole("region", { name: "Column B" })];
  await b.getByLabel("Agent of column B").selectOption("Ada");
  await b.getByRole("button", { name: "Change column B" }).click();
  await page.getByLabel("Instructions").fill("Speak like a sailor.");
  await page.getByLabel("Provider").selectOption({ index: 1 });
  await page.getByRole("spinbutton", { name: "Maximum output" }).fill("6");
  await page.getByRole("button", { name: "Done" }).click();
  await b.getByText("changed: model, instructions, settings").waitFor();

  await askAll(page, 'How much is it?\n/tool calculator {"expression": "6 * 7"}');
  for (const column of [a, b]) {
    await column.getByText("calculator").first().waitFor();
    await column.getByRole("button", { name: "Add as eval case …" }).waitFor();
    for (const name of ["First token", "Total"]) assert.match(await figure(column, name).innerText(), /m?s$/);
    assert.match(await figure(column, "Tokens").innerText(), /^\d+ in, \d+ out$/);
    assert.match(await figure(column, "Cost").innerText(), /^\$/);
  }
  const answerOf = (column: Locator) =>
    column
      .getByText(/^\[simulated\]/)
      .last()
      .innerText();
  const [full, cut] = [await answerOf(a), await answerOf(b)];
  assert.ok(full.length > cut.length, `${cut} was not cut`);
  await checkAppearance(page, "playground");

  await page.reload();
  await b.getByText("changed: model, instructions, settings").waitFor();
  assert.deepEqual([await answerOf(a), await answerOf(b)], [full, cut]);
  await askAll(page, "And now?");
  await a.getByText(/\(3 messages,/).waitFor();
  const [stored] = (await api.call("GET", `/rest/v1/agents?id=eq.${ada}&select=system_prompt,settings`)) as unknown[];
  assert.deepEqual(stored, { system_prompt: "You are Ada.", settings: {} });
});

test("a column stops alone or with all, shows its own error in words, and asks for approvals", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const [ada = ""] = await createAgents(api, ["Ada", "Max"]);
  await assignTools(api, ada);
  await page.goto("/playground");
  const [a, b] = [page.getByRole("region", { name: "Column A" }), page.getByRole("region", { name: "Column B" })];
  await a.getByText("The answers appear here.").waitFor();
  await askAll(page, "/sleep 20000");
  await b.getByText("is thinking").waitFor();
  await a.getByRole("button", { name: "Stop column A" }).click();
  await a.getByText("Stopped").waitFor();
  await b.getByText("is thinking").waitFor();
  // A reload attaches to the answer that is still written.
  await page.reload();
  await b.getByText("is thinking").waitFor();
  await page.getByRole("button", { name: "Stop all" }).click();
  await b.getByText("Stopped").waitFor();

  await askAll(page, "Hello\n/fail 5xx Max");
  await a.getByText(/^\[simulated\]/).waitFor();
  await b.getByRole("alert").waitFor();
  assert.equal(await a.getByRole("alert").count(), 0);
  await takeScreenshot(page, "playground-failed");
  await askAll(page, '/tool send_mail {"to": "grace"}');
  await a.getByRole("button", { name: "Deny" }).click();
  await a.getByText(/^denied/).waitFor();
  await page.getByRole("button", { name: "New conversation" }).click();
  await b.getByText("The answers appear here.").waitFor();
});

test("a column is saved as a version, says if its agent has changed, and its answer becomes an eval case", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const [ada = ""] = await createAgents(api, ["Ada"]);
  await page.goto(`/agents/${ada}`);
  await page.getByRole("link", { name: "Playground" }).last().click();
  const b = page.getByRole("region", { name: "Column B" });
  await b.getByRole("button", { name: "Change column B" }).click();
  await page.getByLabel("Instructions").fill("You are Ada, a sailor.");
  await page.getByRole("button", { name: "Done" }).click();
  await askAll(page, "Who are you?");
  await b.getByRole("button", { name: "Add as eval case …" }).waitFor();

  await api.call("PATCH", `/rest/v1/agents?id=eq.${ada}`, { role: "Clerk" });
  await b.getByRole("button", { name: "More about column B" }).click();
  await page.getByRole("menuitem", { name: "Save as a version …" }).click();
  await page.getByText("Ada was changed after this column was asked.").waitFor();
  await page.getByRole("region", { name: "System prompt, now and in this column" }).getByText("sailor").waitFor();
  await checkAppearance(page, "playground-save");
  await page.getByRole("button", { name: "Save anyway" }).click();
  await page.getByText("Ada has a new version.", { exact: true }).waitFor();
  const versions = await api.call(
    "GET",
    `/rest/v1/agent_versions?agent_id=eq.${ada}&select=number,role,system_prompt&order=number.desc&limit=1`,
  );
  assert.deepEqual(versions, [{ number: 3, role: "Clerk", system_prompt: "You are Ada, a sailor." }]);

  await b.getByRole("button", { name: "Add as eval case …" }).click();
  await page.getByLabel("Name of the dataset").fill("Sailors");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByLabel("Input").and(page.getByText("Who are you?")).waitFor();
  await page.getByLabel("Text 1").fill("Ada");
  await page.getByRole("button", { name: "Add case" }).click();
  await page.getByRole("heading", { level: 1, name: "Sailors" }).waitFor();
  const cases = await api.call("GET", "/rest/v1/eval_cases?select=name,input,expectation");
  const expectation = { kind: "contains", texts: ["Ada"] };
  assert.deepEqual(cases, [{ name: "Who are you?", input: "Who are you?", expectation }]);
});

test("every column is asked the cases of a dataset, with sums, and differences are marked word by word", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const [ada = ""] = await createAgents(api, ["Ada"]);
  // More than a picker reads at once, and behind all of them the one that is sought.
  const names = Array.from({ length: 101 }, (_, at) => ({ name: `Another ${at}` }));
  const datasets = await api.call("POST", "/rest/v1/eval_datasets", [{ name: "Support" }, ...names]);
  const [dataset] = datasets as { id: string }[];
  const expectation = { kind: "contains", texts: ["open"] };
  const inputs = ["When do you open?", "Where are you?", "What does it cost?"];
  const cases = inputs.map((input, position) => ({
    dataset_id: dataset?.id,
    name: input,
    input,
    expectation,
    position,
  }));
  await api.call("POST", "/rest/v1/eval_cases", cases);
  await page.goto(`/playground?agent=${ada}`);
  const [a, b] = [page.getByRole("region", { name: "Column A" }), page.getByRole("region", { name: "Column B" })];
  await b.getByRole("button", { name: "Change column B" }).click();
  await page.getByLabel("Instructions").fill("Speak like a sailor.");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Ask cases …" }).click();
  await page.getByRole("combobox", { name: "Dataset" }).click();
  await page.getByPlaceholder("Search …").fill("supp");
  await page.getByRole("option", { name: "Support" }).click();
  await page.getByRole("button", { name: "Ask 3 cases" }).click();
  await page.getByRole("group", { name: "All columns" }).getByText("6 answers").waitFor();
  assert.equal(await a.getByText(/\(1 message,/).count(), 3, "a case continues the one before");
  const shown = await a
    .locator("dt")
    .filter({ hasText: "Tokens" })
    .locator("xpath=following-sibling::dd")
    .allInnerTexts();
  const sum = (place: number): number =>
    shown.reduce((total, text) => total + Number(/(\d+) in, (\d+) out/.exec(text)?.[place]), 0);
  const totals = await a.getByRole("group", { name: "Column A" }).innerText();
  assert.match(totals, /^Column A: 3 answers · [\d.]+ m?s · /);
  assert.ok(totals.includes(`${sum(1)} in, ${sum(2)} out · $`), `${totals} is not the sum of ${shown.join(", ")}`);

  await page.getByRole("button", { name: "Differences from A" }).click();
  const differences = b.getByRole("region", { name: "Differences from A" });
  assert.deepEqual([await a.getByRole("region").count(), await differences.count()], [0, 3]);
  for (const [mark, said] of [
    ["ins", b],
    ["del", a],
  ] as const) {
    const word = await differences.last().locator(mark).last().innerText();
    assert.match(word, /^[\da-f]{8}\)$/, `${mark} marks ${word}, which is not what differs`);
    assert.ok((await said.innerText()).includes(word));
  }
  await checkAppearance(page, "playground-cases");
});

plainTest("renderCall sends only what the column changes", () => {
  const base: AgentValues = {
    role: null,
    framework: "provider_a",
    model: "small",
    system_prompt: "Be kind.",
    settings: { temperature: 1, stop: ["END"], of_an_app: 1 },
  };
  const render = (changes: Parameters<typeof listChanges>[1], version: number | null = null) => {
    const column = { id: "c", agentId: "a", version, changes, seen: null, opening: null, exchanges: [] };
    const { agent_id: _, ...call } = renderCall(column, base);
    return [listChanges(base, changes), call];
  };
  assert.deepEqual(render({}), [[], {}]);
  assert.deepEqual(render({ ...base }, 2), [[], { agent_version: 2 }]);
  assert.deepEqual(render({ model: "large" }), [["model"], { framework: "provider_a", model: "large" }]);
  assert.deepEqual(render({ model: null }), [["model"], { framework: "provider_a" }]);
  assert.deepEqual(render({ framework: "provider_b", model: null }), [["model"], { framework: "provider_b" }]);
  assert.deepEqual(render({ system_prompt: " " }), [["instructions"], { system_prompt: "" }]);
  assert.deepEqual(render({ settings: { of_an_app: 1, top_p: 0.5, temperature: 1 } }), [
    ["settings"],
    { settings: { top_p: 0.5, stop: [] } },
  ]);
  assert.deepEqual(render({ settings: { of_an_app: 1, stop: ["END"] } }), [
    ["settings"],
    { settings: { temperature: 0.7 } },
  ]);
});
