import assert from "node:assert/strict";
import { test as plainTest } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { Page } from "playwright-core";
import type { Model } from "../src/data/models.ts";
import { EMPTY_DRAFT, isSameDraft, tidyDraft } from "../src/pages/agents/agent-draft.ts";
import { findDropped } from "../src/pages/agents/dropped-settings.ts";
import { scanWithAxe } from "./support/axe.ts";
import { checkAppearance } from "./support/looks.ts";
import { comeIn } from "./support/people.ts";
import { waitUntil } from "./support/rooms.ts";
import { keepScreenshot } from "./support/screenshots.ts";
import { findVisitor, type Visitor } from "./support/session.ts";
import { setStage } from "./support/stage.ts";
import { tryAgain } from "./support/try-again.ts";

const test = setStage();

async function makeAgent(visitor: Visitor, agent: Readonly<Record<string, unknown>>): Promise<string> {
  const [made] = (await visitor.call("POST", "/rest/v1/agents", agent)) as { id: string }[];
  return made?.id ?? "";
}

async function say(page: Page, words: string): Promise<void> {
  await page.getByLabel(/^Message to /).fill(words);
  await page.keyboard.press("Enter");
}

test("an agent is made, tried, given a tool and answers with it", async (t, { openPage }) => {
  const page = await openPage(t, { expected: [/400/] });
  await comeIn(page);
  await page.goto("/agents");
  await page.getByRole("heading", { name: "No agents yet" }).waitFor();
  await checkAppearance(page, "agents-empty");

  await page.keyboard.press("n");
  await page.getByText("Writes up to").waitFor();
  await page.getByRole("button", { name: "Make the agent" }).click();
  await page.getByText("must have 1 to 100 characters").waitFor();
  await page.getByLabel("Name", { exact: true }).and(page.locator(":focus")).waitFor();
  await checkAppearance(page, "agent-refused");
  await page.getByRole("button", { name: /^Ada/ }).click();
  await page.getByText("must have 1 to 100 characters").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Make the agent" }).click();

  await page.getByRole("heading", { name: "Say something to Ada" }).waitFor();
  await checkAppearance(page, "agent-try-empty");
  await say(page, "What is a swarm?");
  await page.getByText(/^\[simulated\] Ada was called with 1 message/).waitFor();
  await page.getByText("tokens read").waitFor();
  await page.getByRole("link", { name: "Try: Ada" }).waitFor();

  await page.getByRole("tab", { name: "Tools" }).click();
  await page.getByRole("heading", { name: "No tools yet" }).waitFor();
  await page.getByRole("button", { name: "Give it a tool" }).click();
  await page.getByRole("button", { name: "Give it calculator" }).waitFor();
  await page.getByLabel("Search the catalogue").fill("time");
  await page.getByRole("button", { name: "Give it calculator" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Give it current_time" }).click();
  await page.getByText("Has it").waitFor();
  await checkAppearance(page, "agent-give-tool");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Configure current_time" }).click();
  await page.getByLabel(/^Timezone/).fill("Asia/Tokyo");
  await checkAppearance(page, "agent-configure-tool");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("1 settled").waitFor();
  await checkAppearance(page, "agent-tools");

  await page.getByRole("tab", { name: "Try it" }).click();
  await page.getByText(/^\[simulated\] Ada was called with 1 message/).waitFor();
  await say(page, "The time, please.\n/tool current_time {}");
  await page.getByText("Done", { exact: true }).click();
  await page.getByText('"Asia/Tokyo"', { exact: true }).waitFor();
  await checkAppearance(page, "agent-try");
  await page.getByRole("tab", { name: "Overview" }).click();
  await page.getByRole("link", { name: "Answered" }).nth(1).waitFor();
  await checkAppearance(page, "agent-overview");
  await page.getByRole("tab", { name: "Activity" }).click();
  await page.getByText("All 2 turns").waitFor();
  await checkAppearance(page, "agent-activity");
});

test("an answer is stopped, and the conversation is removed by its name", async (t, { openPage, instance }) => {
  const page = await openPage(t);
  await comeIn(page);
  const id = await makeAgent(await findVisitor(page, instance), { name: "Max" });
  await page.goto(`/agents/${id}/try`);
  await say(page, "/sleep 20000");
  await page.getByText("Max is thinking").waitFor();
  await keepScreenshot(page, "agent-thinking");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped").waitFor();
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByLabel(/^Type/).fill("Try: Max");
  await page.getByRole("button", { name: "Remove it" }).click();
  await page.getByRole("heading", { name: "Say something to Max" }).waitFor();
});

test("settings: errors at their field, what a model drops, undo, and nothing lost by leaving", async (t, stage) => {
  const page = await stage.openPage(t, { expected: [/400/] });
  await comeIn(page);
  const visitor = await findVisitor(page, stage.instance);
  const [least] = (await visitor.call(
    "GET",
    "/rest/v1/models?supports->>penalties=eq.false&limit=1&select=framework,id",
  )) as { framework: string; id: string }[];
  assert.ok(least !== undefined, "no model of the catalogue refuses penalties");
  const id = await makeAgent(visitor, { name: "Iris", framework: least.framework, model: least.id });
  await page.goto(`/agents/${id}/settings`);
  await page.getByRole("textbox", { name: "Role" }).fill("Has ideas");
  await page.getByRole("spinbutton", { name: "Presence penalty" }).fill("1");
  await page.getByText("This model does not take it").waitFor();
  await page.getByRole("spinbutton", { name: "Temperature" }).fill("3");
  await page.getByRole("button", { name: "Add a stop sequence" }).click();
  await page.getByLabel("Stop sequence 1", { exact: true }).fill("END");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("must be between 0 and 2").waitFor();
  await page.getByText("One field needs another look").waitFor();
  await checkAppearance(page, "agent-settings-refused");
  await page.getByRole("button", { name: "Reset: Temperature" }).click();

  await page.getByRole("tab", { name: "Overview" }).click();
  await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
  await scanWithAxe(page);
  await page.getByRole("button", { name: "Stay here" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Everything is saved").waitFor();
  const read = async () =>
    ((await visitor.call("GET", `/rest/v1/agents?id=eq.${id}&select=role,settings`)) as unknown[])[0];
  assert.deepEqual(await read(), { role: "Has ideas", settings: { stop: ["END"], presence_penalty: 1 } });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("textbox", { name: "Role" }).and(page.locator("[value='']")).waitFor();
  await waitUntil(async () => isDeepStrictEqual(await read(), { role: null, settings: {} }));
});

test("the list: live, searched, a hundred long, duplicated with undo, deleted by name", async (t, stage) => {
  const page = await stage.openPage(t, { expected: [/403/] });
  await comeIn(page);
  const visitor = await findVisitor(page, stage.instance);
  const ids = await visitor.call(
    "POST",
    "/rest/v1/agents",
    Array.from({ length: 99 }, (_, at) => ({ name: `Agent ${at}`, role: at === 42 ? "Navigator" : "Sailor" })),
  );
  assert.equal((ids as unknown[]).length, 99);
  await page.goto("/agents");
  await page.getByRole("heading", { name: "Agent 98" }).waitFor();
  await checkAppearance(page, "agents");
  await page.keyboard.press("End");
  await page.getByText("All 99 agents").waitFor();
  const cards = await page.getByRole("heading", { level: 2 }).count();
  assert.ok(cards < 80, `${cards} cards are rendered`);

  await page.getByLabel("Search by name or role").fill("navig");
  await page.getByRole("heading", { name: "Agent 42" }).waitFor();
  const card = page.getByRole("list", { name: "Agents" });
  const found = (await visitor.call("GET", "/rest/v1/agents?role=eq.Navigator&select=id")) as { id: string }[];
  await visitor.call("PATCH", `/rest/v1/agents?id=eq.${found[0]?.id}`, { status: "error" });
  await card.getByText("Error").waitFor();
  await page.getByRole("link", { name: "Agent 42" }).click();
  await page.getByRole("button", { name: "Set to idle" }).click();
  await page.getByRole("button", { name: "Set to idle" }).waitFor({ state: "detached" });

  await page.getByRole("button", { name: "More about Agent 42" }).click();
  await page.getByRole("menuitem", { name: "Duplicate" }).click();
  await page.getByRole("heading", { level: 1, name: "Agent 42 (copy)" }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("heading", { level: 1, name: "Agent 42", exact: true }).waitFor();
  await page.getByRole("button", { name: "More about Agent 42" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByLabel(/^Type/).fill("Agent 42");
  await scanWithAxe(page);
  await keepScreenshot(page, "agent-delete");
  await page.getByRole("button", { name: "Delete the agent" }).click();
  await page.getByText("All 98 agents").waitFor();
});

test("what cannot be loaded says so and is tried again; what is gone is not found", async (t, { openPage }) => {
  const page = await openPage(t, { expected: [/40[034]/] });
  await comeIn(page);
  await page.route("**/rest/v1/agents*", (route) =>
    route.fulfill({ status: 403, json: { code: "FORBIDDEN", message: "Not at this hour", error: "Forbidden" } }),
  );
  await page.goto("/agents");
  await page.getByText("Not at this hour.").waitFor();
  await checkAppearance(page, "agents-failed");
  await tryAgain(page, "**/rest/v1/agents*", page.getByRole("heading", { name: "No agents yet" }));
  await page.goto("/agents/019a8000-0000-7000-8000-0000000000a1");
  await page.getByRole("heading", { level: 1, name: "No such agent" }).waitFor();
  await scanWithAxe(page);
});

plainTest("a model's gaps are found before they matter", () => {
  const supports = {
    temperature: true,
    temperature_max: 1,
    top_p: true,
    top_p_with_temperature: false,
    penalties: false,
    stop: 1,
    tools: true,
  };
  const model = { supports, max_output_tokens: 100 } as Model;
  const settings = { temperature: 1.5, max_tokens: 200, presence_penalty: 1, frequency_penalty: 0, stop: ["a", "b"] };
  assert.deepEqual(Object.keys(findDropped(settings, model)).toSorted(), [
    "max_tokens",
    "presence_penalty",
    "stop",
    "temperature",
  ]);
  assert.match(findDropped({ temperature: 0.5, top_p: 0.9 }, model).temperature ?? "", /top P or temperature/);
  assert.deepEqual(findDropped({ top_p: 1, presence_penalty: 0, stop: [""] }, model), {});
  assert.deepEqual(findDropped(settings, undefined), {});
});

plainTest("a draft is sent without what was left empty, and keeps what it does not know", () => {
  const settings = { temperature: Number.NaN, stop: ["", "x"], of_an_app: { a: 1 } };
  const tidy = tidyDraft({ ...EMPTY_DRAFT, name: "Ada", role: " ", settings });
  assert.deepEqual([tidy.role, tidy.settings], [null, { stop: ["x"], of_an_app: { a: 1 } }]);
  assert.ok(isSameDraft({ ...EMPTY_DRAFT, role: "", settings: { stop: [] } }, EMPTY_DRAFT));
  assert.ok(!isSameDraft({ ...EMPTY_DRAFT, settings: { top_p: 0.5 } }, EMPTY_DRAFT));
});
