import assert from "node:assert/strict";
import { test as plainTest } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { Page } from "playwright-core";
import type { Model } from "../src/data/models.ts";
import type { AgentVersion } from "../src/data/agent-versions.ts";
import { compareVersions } from "../src/pages/agents/compare-versions.ts";
import { pairLines } from "../src/components/pair-lines.ts";
import { EMPTY_DRAFT, isSameDraft, tidyDraft } from "../src/pages/agents/agent-draft.ts";
import { findDropped } from "../src/pages/agents/dropped-settings.ts";
import { scanWithAxe } from "./support/axe.ts";
import { checkAppearance } from "./support/appearance.ts";
import { createSignedInUser, navigate } from "./support/people.ts";
import { waitUntil } from "./support/swarms.ts";
import { takeScreenshot } from "./support/screenshots.ts";
import { getApiClient, type ApiClient } from "./support/api-client.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import { retryLoading } from "./support/retry.ts";

const test = createBrowserTest();

async function createAgent(api: ApiClient, agent: Readonly<Record<string, unknown>>): Promise<string> {
  const [made] = (await api.call("POST", "/rest/v1/agents", agent)) as { id: string }[];
  return made?.id ?? "";
}

async function say(page: Page, words: string): Promise<void> {
  await page.getByLabel(/^Message to /).fill(words);
  await page.keyboard.press("Enter");
}

test("a new agent can be tried out, and uses an assigned tool", async (t, { openPage }) => {
  const page = await openPage(t, { expected: [/400/] });
  await createSignedInUser(page);
  await page.goto("/agents");
  await page.getByRole("heading", { name: "No agents yet" }).waitFor();
  await checkAppearance(page, "agents-empty");

  await page.keyboard.press("n");
  await page.getByRole("term").filter({ hasText: "Maximum output" }).waitFor();
  await page.getByRole("button", { name: "Make the agent" }).click();
  await page.getByText("must have 1 to 100 characters").waitFor();
  await page.getByLabel("Name", { exact: true }).and(page.locator(":focus")).waitFor();
  await checkAppearance(page, "agent-refused");
  await page.getByRole("button", { name: /^Ada/ }).click();
  await page.getByText("must have 1 to 100 characters").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Make the agent" }).click();

  await page.getByRole("heading", { name: "Send Ada a message" }).waitFor();
  await checkAppearance(page, "agent-try-empty");
  await say(page, "What is a swarm?");
  await page.getByText(/^\[simulated\] You asked: "What is a swarm\?"/).waitFor();
  await page.getByText("tokens read").waitFor();
  await page.getByRole("link", { name: "Try: Ada" }).waitFor();

  await page.getByRole("tab", { name: "Tools" }).click();
  await page.getByRole("heading", { name: "No tools yet" }).waitFor();
  await page.getByRole("button", { name: "Assign a tool" }).click();
  await page.getByRole("button", { name: "Assign calculator" }).waitFor();
  await page.getByLabel("Search the catalogue").fill("time");
  await page.getByRole("button", { name: "Assign calculator" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Assign current_time" }).click();
  await page.getByText("Assigned").waitFor();
  await checkAppearance(page, "agent-give-tool");
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Configure current_time" }).click();
  await page.getByLabel(/^Timezone/).fill("Asia/Tokyo");
  await checkAppearance(page, "agent-configure-tool");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("1 configured").waitFor();
  await checkAppearance(page, "agent-tools");

  await page.getByRole("tab", { name: "Try it" }).click();
  await page.getByText(/^\[simulated\] You asked: "What is a swarm\?"/).waitFor();
  await say(page, "What time is it?");
  await page.getByText("Done", { exact: true }).click();
  await page.getByRole("group", { name: "Output" }).getByText('"Asia/Tokyo"', { exact: true }).waitFor();
  await checkAppearance(page, "agent-try");
  await page.getByRole("tab", { name: "Overview" }).click();
  await page.getByRole("link", { name: "Completed" }).nth(1).waitFor();
  await checkAppearance(page, "agent-overview");
  await page.getByRole("tab", { name: "Activity" }).click();
  await page.getByText("All 2 turns").waitFor();
  await checkAppearance(page, "agent-activity");
});

test("the try-out panel stops a reply and deletes its conversation after confirmation", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const id = await createAgent(await getApiClient(page, instance), { name: "Max" });
  await page.goto(`/agents/${id}/try`);
  await say(page, "/sleep 20000");
  await page.getByText("Max is thinking").waitFor();
  await takeScreenshot(page, "agent-thinking");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped").waitFor();
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByLabel(/^Type/).fill("Try: Max");
  await page.getByRole("button", { name: "Remove it" }).click();
  await page.getByRole("heading", { name: "Send Max a message" }).waitFor();
});

test("the agent settings show field errors and unsupported settings, offer Undo, and confirm before unsaved input is lost", async (t, environment) => {
  const page = await environment.openPage(t, { expected: [/400/] });
  await createSignedInUser(page);
  const api = await getApiClient(page, environment.instance);
  const [least] = (await api.call(
    "GET",
    "/rest/v1/models?supports->>penalties=eq.false&limit=1&select=framework,id",
  )) as { framework: string; id: string }[];
  assert.ok(least !== undefined, "no model of the catalogue refuses penalties");
  const id = await createAgent(api, { name: "Iris", framework: least.framework, model: least.id });
  await page.goto(`/agents/${id}/settings`);
  await page.getByRole("textbox", { name: "Role" }).fill("Has ideas");
  await page.getByRole("spinbutton", { name: "Presence penalty" }).fill("1");
  await page.getByText("This model does not support it").waitFor();
  await page.getByRole("spinbutton", { name: "Temperature" }).fill("3");
  await page.getByRole("button", { name: "Add a stop sequence" }).click();
  await page.getByLabel("Stop sequence 1", { exact: true }).fill("END");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("must be between 0 and 2").waitFor();
  await page.getByText("One field has an error").waitFor();
  await checkAppearance(page, "agent-settings-refused");
  await page.getByRole("button", { name: "Reset: Temperature" }).click();

  await page.getByRole("tab", { name: "Overview" }).click();
  await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
  await scanWithAxe(page);
  await page.getByRole("button", { name: "Stay here" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("All changes saved").waitFor();
  const read = async () =>
    ((await api.call("GET", `/rest/v1/agents?id=eq.${id}&select=role,settings`)) as unknown[])[0];
  assert.deepEqual(await read(), { role: "Has ideas", settings: { stop: ["END"], presence_penalty: 1 } });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("textbox", { name: "Role" }).and(page.locator("[value='']")).waitFor();
  await waitUntil(async () => isDeepStrictEqual(await read(), { role: null, settings: {} }));
});

test("the history of an agent compares versions and restores one", async (t, { openPage, instance }) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const id = await createAgent(api, { name: "Vera", system_prompt: "Be kind.\nWrite brief answers." });
  await api.call("PATCH", `/rest/v1/agents?id=eq.${id}`, { system_prompt: "Be kind.\nWrite thorough answers." });
  await page.goto(`/agents/${id}`);
  await page.getByRole("tab", { name: "History" }).click();
  await page.getByText("Version 2 (current)").waitFor();
  await page.getByText("The agent was made.").waitFor();
  const difference = page.getByRole("region", { name: "System prompt, version 1 to 2" });
  const changed = async () => [
    await difference.locator("div").allTextContents(),
    await difference.locator("strong").allTextContents(),
  ];
  const expected = [
    ["  Be kind.", "− Write brief answers.", "+ Write thorough answers."],
    ["brief", "thorough"],
  ];
  assert.deepEqual(await changed(), expected);
  await checkAppearance(page, "agent-history");

  await page.getByRole("radio", { name: "Current", exact: true }).click();
  await page.getByText("The agent was made.").waitFor({ state: "detached" });
  assert.deepEqual(await changed(), expected);
  await page.getByRole("radio", { name: "Another" }).click();
  await page.getByLabel("Version to compare with").selectOption("Version 2");
  assert.deepEqual(await changed(), expected);
  await page.getByRole("button", { name: "Restore version 1" }).click();
  await page.getByText("Version 3 (current)").waitFor();
  const [agent] = (await api.call("GET", `/rest/v1/agents?id=eq.${id}&select=system_prompt`)) as unknown[];
  assert.deepEqual(agent, { system_prompt: "Be kind.\nWrite brief answers." });
});

test("an agent with a response schema replies with a structured value", async (t, environment) => {
  const page = await environment.openPage(t, { expected: [/400/] });
  await createSignedInUser(page);
  const api = await getApiClient(page, environment.instance);
  const id = await createAgent(api, { name: "Jason" });
  await page.goto(`/agents/${id}/settings`);
  await page.getByRole("button", { name: "Add a response schema" }).click();
  const schema = page.getByRole("textbox", { name: "Response schema" });
  await schema.fill("{");
  await page.getByText("Must be a JSON object").waitFor();
  await schema.fill('{"type": "nothing"}');
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("is not a JSON Schema").waitFor();
  await scanWithAxe(page);
  await schema.fill('{"type": "object", "properties": {"city": {"const": "Delft"}}, "required": ["city"]}');
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("All changes saved").waitFor();
  await page.goto(`/agents/${id}/try`);
  await say(page, "Where are you?");
  const reply = page.getByRole("group", { name: "Structured reply" });
  await reply.getByText("Delft").waitFor();
  await scanWithAxe(page);
  await page.getByRole("link", { name: "Try: Jason" }).click();
  await reply.getByText("Delft").waitFor();
});

test("the agent list updates live, searches a hundred agents, duplicates with Undo and deletes after confirmation", async (t, environment) => {
  const page = await environment.openPage(t, { expected: [/403/] });
  await createSignedInUser(page);
  const api = await getApiClient(page, environment.instance);
  const ids = await api.call(
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
  const found = (await api.call("GET", "/rest/v1/agents?role=eq.Navigator&select=id")) as { id: string }[];
  await api.call("PATCH", `/rest/v1/agents?id=eq.${found[0]?.id}`, { status: "error" });
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
  await takeScreenshot(page, "agent-delete");
  await page.getByRole("button", { name: "Delete the agent" }).click();
  await page.getByText("All 98 agents").waitFor();
});

test("agent pages show load errors with a retry button, and a not-found page for a missing agent", async (t, {
  openPage,
}) => {
  const page = await openPage(t, { expected: [/40[034]/] });
  await createSignedInUser(page);
  await page.route("**/rest/v1/agents*", (route) =>
    route.fulfill({ status: 403, json: { code: "FORBIDDEN", message: "Not at this hour", error: "Forbidden" } }),
  );
  await page.goto("/agents");
  await page.getByText("Not at this hour.").waitFor();
  await checkAppearance(page, "agents-failed");
  await retryLoading(page, "**/rest/v1/agents*", page.getByRole("heading", { name: "No agents yet" }));
  await navigate(page, "/agents/019a8000-0000-7000-8000-0000000000a1");
  await page.getByRole("heading", { level: 1, name: "No such agent" }).waitFor();
  await scanWithAxe(page);
  await page.goto("/agents");
  await page.getByRole("heading", { name: "No agents yet" }).waitFor();
  await navigate(page, "/agents/no-id");
  await page.getByRole("heading", { level: 1, name: "No such agent" }).waitFor();
});

plainTest("compareVersions lists the fields that differ, with a line for each part", () => {
  const tool = {
    tool_id: "t",
    name: "calculator",
    enabled: true,
    configuration: {},
    approver: null,
    is_vouched: false,
    definition: null,
  } as const;
  const definition = {
    description: "Pays.",
    kind: "http",
    input_schema: {},
    config: { url: "https://example.com" },
    requires_approval: false,
    timeout_ms: 1000,
    max_output_chars: 10,
    max_retries: 0,
    idempotent: false,
    enabled: true,
    is_vouched: false,
  };
  const guardrail = {
    guardrail_id: "g",
    name: "Words",
    kind: "pattern",
    stage: "input",
    action: "block",
    config: { pattern: "x" },
    position: 0,
    is_active: true,
  } as const;
  const from: AgentVersion = {
    agent_id: "a",
    number: 1,
    role: null,
    framework: "provider_a",
    model: null,
    system_prompt: "one\ntwo\nthree",
    settings: { temperature: 1, top_p: 1 },
    tools: [tool],
    guardrails: [],
    changed_by: null,
    created_at: "2026-01-01T00:00:00Z",
  };
  assert.deepEqual(compareVersions(from, { ...from }), []);
  const to: AgentVersion = {
    ...from,
    number: 2,
    role: "Clerk",
    model: "m",
    system_prompt: "one\ntwo\ntwo\nthree",
    settings: { temperature: 0, top_p: 1 },
    tools: [{ ...tool, enabled: false, configuration: { precision: 2 } }],
  };
  assert.deepEqual(compareVersions(from, to), [
    { label: "Role", before: "", after: "Clerk" },
    { label: "Model", before: "default model", after: "m" },
    { label: "System prompt", before: "one\ntwo\nthree", after: "one\ntwo\ntwo\nthree" },
    { label: "Settings", before: "temperature: 1\ntop_p: 1", after: "temperature: 0\ntop_p: 1" },
    { label: "Tools", before: "calculator", after: 'calculator (disabled) {"precision":2}' },
  ]);
  const own = { ...tool, name: "pay", definition };
  const changed = { ...own, definition: { ...definition, timeout_ms: 2000 } };
  const [tools, guardrails] = compareVersions(
    { ...from, tools: [own], guardrails: [guardrail] },
    { ...from, tools: [changed], guardrails: [{ ...guardrail, action: "rewrite", is_active: false }] },
  );
  assert.match(tools?.after ?? "", /^pay\n {2}config: .*\n {2}timeout_ms: 2000$/s);
  assert.deepEqual(guardrails, {
    label: "Guardrails",
    before: 'Words\n  action: "block"\n  config: {"pattern":"x"}\n  kind: "pattern"\n  position: 0\n  stage: "input"',
    after:
      'Words (disabled)\n  action: "rewrite"\n  config: {"pattern":"x"}\n  kind: "pattern"\n  position: 0\n  stage: "input"',
  });
});

plainTest("pairLines marks the words that changed in a line, but not in lines that have little in common", () => {
  const render = (before: string, after: string) =>
    pairLines(before, after).map(({ kind, text, words }) => [
      kind,
      words === null ? text : words.map((word) => (word.kind === "same" ? word.text : `[${word.text}]`)).join(""),
    ]);
  assert.deepEqual(render("You are kind.\nBe brief.", "You are very kind.\nBe brief."), [
    ["removed", "You are kind."],
    ["added", "You are [very][ ]kind."],
    ["same", "Be brief."],
  ]);
  assert.deepEqual(render("Answer in French.", "Refuse."), [
    ["removed", "Answer in French."],
    ["added", "Refuse."],
  ]);
  assert.deepEqual(render("", "New."), [["added", "New."]]);
});

plainTest("findDropped lists the settings that a model does not support or limits", () => {
  const supports = {
    temperature: true,
    temperature_max: 1,
    top_p: true,
    top_p_with_temperature: false,
    penalties: false,
    stop: 1,
    tools: true,
    response_schema: false,
  };
  const model = { supports, max_output_tokens: 100 } as Model;
  const settings = { temperature: 1.5, max_tokens: 200, presence_penalty: 1, frequency_penalty: 0, stop: ["a", "b"] };
  assert.deepEqual(Object.keys(findDropped(settings, model)).toSorted(), [
    "max_tokens",
    "presence_penalty",
    "stop",
    "temperature",
  ]);
  assert.match(
    findDropped({ temperature: 0.5, top_p: 0.9 }, model).temperature ?? "",
    /top P together with temperature/,
  );
  assert.deepEqual(Object.keys(findDropped({ response_schema: {} }, model)), ["response_schema"]);
  assert.deepEqual(findDropped({ top_p: 1, presence_penalty: 0, stop: [""] }, model), {});
  assert.deepEqual(findDropped(settings, undefined), {});
});

plainTest("an agent draft omits empty values and keeps unknown settings", () => {
  const settings = { temperature: Number.NaN, stop: ["", "x"], of_an_app: { a: 1 } };
  const tidy = tidyDraft({ ...EMPTY_DRAFT, name: "Ada", role: " ", settings });
  assert.deepEqual([tidy.role, tidy.settings], [null, { stop: ["x"], of_an_app: { a: 1 } }]);
  const shown = tidyDraft({ ...EMPTY_DRAFT, description: " ", starter_questions: [" Where? ", "", " "] });
  assert.deepEqual([shown.description, shown.starter_questions], [null, ["Where?"]]);
  assert.ok(isSameDraft({ ...EMPTY_DRAFT, role: "", settings: { stop: [] } }, EMPTY_DRAFT));
  assert.ok(!isSameDraft({ ...EMPTY_DRAFT, settings: { top_p: 0.5 } }, EMPTY_DRAFT));
});
