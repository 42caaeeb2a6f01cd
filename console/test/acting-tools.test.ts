import assert from "node:assert/strict";
import { test as plainTest } from "node:test";
import { actsForAsker } from "@swarmbase/sdk";
import type { Tool } from "../src/data/tools.ts";
import { findAskers } from "../src/data/acting-tools.ts";
import { compareVersions } from "../src/pages/agents/compare-versions.ts";
import { EMPTY_TOOL, formOf, renderNew, renderUpdate } from "../src/pages/tools/tool-draft.ts";
import { getApiClient } from "./support/api-client.ts";
import { checkAppearance } from "./support/appearance.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import { createSignedInUser } from "./support/people.ts";
import { createMailTool, createSwarm, waitUntil } from "./support/swarms.ts";

const test = createBrowserTest();
const FAULT = {
  code: "VALIDATION_ERROR",
  message: "The tool is not valid.",
  details: { "config.function": "has no use" },
};

test("the form makes tools that act for the person who asks, and says for whom they work", async (t, { openPage }) => {
  const page = await openPage(t, { expected: [/400/] });
  const sent: Record<string, unknown>[] = [];
  await page.route("**/rest/v1/tools*", async (route) => {
    const body: unknown = route.request().postDataJSON();
    if (route.request().method() !== "POST") return route.continue();
    sent.push(body as Record<string, unknown>);
    await route.fulfill({ status: 400, json: FAULT });
  });
  const make = async () => {
    const count = sent.length;
    await page.getByRole("button", { name: "Create tool" }).click();
    await waitUntil(() => Promise.resolve(sent.length > count));
    const { kind, config, secrets } = sent.at(-1) ?? {};
    return { kind, config, secrets };
  };
  await createSignedInUser(page);
  await page.goto("/tools/new");
  await page.getByLabel("Name", { exact: true }).fill("my_orders");
  await page.getByLabel("Description", { exact: true }).fill("Lists the orders of the person.");
  const note = page.getByRole("region", { name: "Acts for the person who asks" });
  assert.equal(await note.count(), 0);

  await page.getByLabel("Kind").selectOption("Database function");
  await note.getByText("A tool that you create here works only for you").waitFor();
  await page.getByLabel("Function", { exact: true }).fill(" list_my_orders ");
  assert.deepEqual(await make(), { kind: "rpc", config: { function: "list_my_orders" }, secrets: undefined });
  await page.getByText("has no use").waitFor();
  await checkAppearance(page, "tool-rpc");
  await page.getByLabel(/^Schema/).fill("shop");
  await page.getByRole("switch", { name: /^May write/ }).click();
  assert.deepEqual((await make()).config, { function: "list_my_orders", schema: "shop", writes: true });

  await page.getByLabel("Kind").selectOption("App function");
  assert.deepEqual(await make(), { kind: "function", config: { function: "list_my_orders" }, secrets: undefined });

  await page.getByLabel("Kind").selectOption("HTTPS request");
  await note.waitFor({ state: "detached" });
  await page.getByLabel("Address").fill("https://shop.example/orders");
  await page.getByRole("switch", { name: /^Send who asked/ }).click();
  await note.waitFor();
  const request = { url: "https://shop.example/orders", method: "GET" };
  assert.deepEqual((await make()).config, { ...request, identity: "required" });
  await page.getByRole("switch", { name: /^Send who asked/ }).click();
  await note.waitFor({ state: "detached" });
  await page.getByLabel("Credentials").selectOption("Account of the person who asks");
  await note.waitFor();
  assert.deepEqual((await make()).config, { ...request, auth: { type: "oauth", account: "asker" } });
  await checkAppearance(page, "tool-asker");
});

test("the form makes tools with which agents make schedules for the person who asks", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  await page.goto("/tools/new");
  await page.getByLabel("Name", { exact: true }).fill("end_reminder");
  await page.getByLabel("Kind").selectOption("Schedules");
  await page.getByLabel("Action").selectOption("End a schedule that the agent has created");
  await page.getByText("They approve each call, unless the agent is their own").waitFor();
  await checkAppearance(page, "tool-schedule");
  await page.getByRole("button", { name: "Create tool" }).click();
  await page.getByRole("heading", { level: 1, name: "end_reminder" }).waitFor();
  await page.getByText("Acts for who asks").waitFor();
  assert.equal(await page.getByRole("tab", { name: "Test call" }).count(), 0);
  const [tool] = (await api.call("GET", "/rest/v1/tools?name=eq.end_reminder")) as Tool[];
  assert.deepEqual([tool?.kind, tool?.config], ["schedule", { action: "unschedule" }]);
  assert.deepEqual(tool?.input_schema["required"], ["schedule_id"], "described by the service");
  assert.match(tool?.description ?? "", /^Ends a schedule/);
  await page.getByRole("tab", { name: "Edit" }).click();
  assert.ok(await page.getByLabel("Action").isDisabled());
  await page.getByLabel("Description", { exact: true }).fill("Ends a reminder.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("All changes saved").waitFor();
  const [saved] = (await api.call("GET", "/rest/v1/tools?name=eq.end_reminder")) as Tool[];
  assert.deepEqual([saved?.config, saved?.description], [{ action: "unschedule" }, "Ends a reminder."]);
  const agent = { acts_for_askers: false } as const;
  assert.ok(saved !== undefined);
  assert.equal(findAskers(saved, { is_vouched: false }, agent, "somebody else"), "everybody");
});

test("the app vouches for a tool and its assignment, which the owner sees, and keeps when choosing who approves", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const [agentId] = (await createSwarm(api, ["Ada"])).agentIds;
  const toolId = await createMailTool(api, "https://shop.example/orders");
  const path = `/rest/v1/agent_tools?tool_id=eq.${toolId}`;
  await api.callAsService("POST", "/rest/v1/agent_tools", { agent_id: agentId, tool_id: toolId });
  // The tool as a service stores it whose tools send who asked.
  await page.route(/\/rest\/v1\/(?:agent_)?tools\?/, async (route) => {
    const response = await route.fetch();
    const text = await response.text();
    await route.fulfill({ response, body: text.replaceAll('"method":', '"identity":"required","method":') });
  });
  await page.goto(`/tools/${toolId}/edit`);
  const note = page.getByRole("region", { name: "Acts for the person who asks" });
  await note.getByText("Vouched for by the app").waitFor();
  await note.getByText("Works only for you").waitFor();
  assert.equal(await page.getByRole("switch", { name: /^Send who asked/ }).getAttribute("aria-checked"), "true");
  await api.callAsService("PATCH", `/rest/v1/agents?id=eq.${agentId}`, { acts_for_askers: true });
  await page.goto(`/tools/${toolId}`);
  await note.getByText("Works for everybody who may ask").waitFor();
  await checkAppearance(page, "tool-vouched");

  await page.goto(`/agents/${agentId}/tools`);
  await page.getByText("Acts for who asks").waitFor();
  await page.getByRole("button", { name: "Configure send_mail" }).click();
  await page.getByText("who decides whatever is chosen here").waitFor();
  await page.getByLabel("Who approves").selectOption("The person who asks");
  await checkAppearance(page, "agent-approver");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Who asks approves").waitFor();
  await page.getByText("send_mail is configured.", { exact: true }).waitFor();
  const read = async () => ((await api.call("GET", path)) as Record<string, unknown>[])[0] ?? {};
  assert.partialDeepStrictEqual(await read(), { approver: "asker", configuration: {}, is_vouched: true });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Who asks approves").waitFor({ state: "detached" });
  await waitUntil(async () => (await read())["approver"] === null);
  assert.equal((await read())["is_vouched"], true);
});

plainTest("a tool that acts for the person who asks keeps its configuration when it is edited", () => {
  const auth = { type: "oauth", account: "asker", scope: "mail.send", client_id: "c" };
  const cases = [
    ["rpc", { function: "f", schema: "shop", writes: true }, true],
    ["function", { function: "f" }, true],
    ["http", { url: "https://x.example", method: "GET", identity: "required" }, true],
    ["http", { url: "https://x.example", method: "GET", auth }, true],
    ["mcp", { url: "https://x.example", remote_name: "a", auth }, true],
    ["mcp", { url: "https://x.example", remote_name: "a", auth: { type: "oauth", scope: "a" } }, false],
    ["http", { url: "https://x.example", method: "GET" }, false],
  ] as const;
  for (const [kind, config, isActing] of cases) {
    const stored = { ...renderNew(EMPTY_TOOL), kind, config, category: null, icon: null, secret_names: [] };
    const tool = stored as unknown as Tool;
    const form = formOf(tool);
    assert.deepEqual(renderUpdate(form, tool).config, config, kind);
    assert.deepEqual([renderNew(form).kind, actsForAsker(tool)], [kind, isActing]);
  }
});

plainTest("a new tool leaves description and arguments to the database function, if the form has none", () => {
  const form = { ...EMPTY_TOOL, kind: "rpc", name: "a", functionName: "f" } as const;
  const { description, input_schema: schema } = renderNew(form);
  assert.deepEqual([description, schema], [undefined, undefined]);
  const properties = { since: { type: "string" } };
  const filled = renderNew({ ...form, description: "Lists.", schema: { type: "object", properties } });
  assert.deepEqual([filled.description, filled.input_schema], ["Lists.", { type: "object", properties }]);
  assert.deepEqual(renderNew({ ...form, kind: "function" }).input_schema, EMPTY_TOOL.schema);
});

plainTest("versions that differ only in who approves are told apart", () => {
  const tool = { tool_id: "t", name: "a", enabled: true, configuration: {}, definition: null };
  const version = { role: "", framework: "provider_a", model: null, system_prompt: null, settings: {}, guardrails: [] };
  const [before, after] = [null, "asker"].map((approver) => ({ ...version, tools: [{ ...tool, approver }] }) as never);
  assert.deepEqual(compareVersions(before as never, after as never), [
    { label: "Tools", before: "a", after: "a (asker approves)" },
  ]);
});
