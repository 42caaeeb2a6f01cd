import assert from "node:assert/strict";
import { test as plainTest } from "node:test";
import type { GuardrailConfig, GuardrailKind } from "@swarmbase/sdk";
import type { Guardrail } from "../src/data/guardrails.ts";
import { EMPTY_GUARDRAIL, formOf, renderGuardrail } from "../src/pages/guardrails/guardrail-draft.ts";
import { getApiClient } from "./support/api-client.ts";
import { checkAppearance } from "./support/appearance.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import { createSignedInUser, navigate, openHome } from "./support/people.ts";
import { createSwarm } from "./support/swarms.ts";

const test = createBrowserTest();

test("guardrails of an agent and of a swarm are made, changed, switched off and deleted, and their flags are shown", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t, { expected: [/400/] });
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId, agentIds } = await createSwarm(api, ["Ada"], { name: "Shop" });
  const agentId = agentIds[0] ?? "";

  await openHome(page);
  await page.getByRole("navigation").getByRole("link", { name: "Guardrails" }).click();
  await page.getByRole("heading", { level: 1, name: "Guardrails" }).waitFor();
  await page.goto(`/agents/${agentId}`);
  // The form of an agent's guardrail does not wait for the list of swarms.
  const mayLoad = Promise.withResolvers<void>();
  await page.route(/\/rest\/v1\/swarms\?.*swarm_members/, (route) => mayLoad.promise.then(() => route.continue()));
  await page.getByRole("link", { name: "Add guardrail" }).click();
  await page.getByLabel("Regular expression").fill("(");
  await page.getByRole("button", { name: "Create guardrail" }).click();
  await page.getByText("2 fields have errors").waitFor();
  mayLoad.resolve();
  await checkAppearance(page, "guardrail-refused");
  // The focus moves to the first field with an error once, not while another field is corrected.
  await page.getByLabel("Regular expression").pressSequentially("abc");
  assert.match(await page.getByLabel("Regular expression").inputValue(), /abc/);
  assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "");
  await page.getByLabel("Name", { exact: true }).fill("No card numbers");
  await page.getByLabel("Regular expression").fill("[0-9]{4}([ -]?[0-9]{4}){3}");
  await page.getByRole("radio", { name: "Rewrite" }).click();
  await page.getByLabel("Replacement").fill("[card]");
  await page.getByRole("button", { name: "Create guardrail" }).click();
  await page.getByRole("heading", { level: 1, name: "No card numbers" }).waitFor();
  await page.getByLabel("Position").fill("5");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("All changes saved").waitFor();

  const body = { swarm_id: swarmId, message: "Pay with 4111-1111-1111-1111." };
  await api.call("POST", "/functions/v1/agent-respond", body);
  await navigate(page, `/swarms/${swarmId}`);
  await page.getByText("By the guardrail No card numbers", { exact: true }).filter({ visible: true }).waitFor();
  await page.getByText("flagged by the guardrail No card numbers").waitFor();
  await checkAppearance(page, "guardrail-flag");

  await navigate(page, `/swarms/${swarmId}/settings`);
  await page.getByRole("link", { name: "Add guardrail" }).click();
  // The page of the settings has a field of the same name, and stays until the next one is loaded.
  await page.getByRole("heading", { level: 1, name: "New guardrail" }).waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Desk");
  await page.getByLabel("Kind", { exact: true }).selectOption("Webhook");
  await page.getByLabel("URL").fill("https://desk.example.com/check");
  await page.getByLabel("When the check fails to run").selectOption("The text passes");
  await page.getByRole("button", { name: "Create guardrail" }).click();
  await page.getByRole("button", { name: "Reveal" }).click();
  await page.getByText(/^whsec_[\w+/=]+$/).waitFor();
  await page.getByRole("button", { name: "Hide" }).click();
  await checkAppearance(page, "guardrail-webhook");
  const stored = (await api.call("GET", "/rest/v1/guardrails?order=created_at")) as Guardrail[];
  assert.deepEqual(
    stored.map(({ agent_id: ofAgent, swarm_id: ofSwarm, position, action, config }) => ({
      owner: ofAgent ?? ofSwarm,
      position,
      action,
      config,
    })),
    [
      {
        owner: agentId,
        position: 5,
        action: "rewrite",
        config: { pattern: "[0-9]{4}([ -]?[0-9]{4}){3}", replacement: "[card]" },
      },
      {
        owner: swarmId,
        position: 0,
        action: "block",
        config: { url: "https://desk.example.com/check", on_error: "pass" },
      },
    ],
  );

  await page.getByRole("navigation", { name: "Breadcrumbs" }).getByRole("link", { name: "Guardrails" }).click();
  await page.getByRole("link", { name: "Open Desk" }).waitFor();
  await checkAppearance(page, "guardrails");
  await page.getByLabel("Agent or swarm").selectOption("Agent Ada");
  await page.getByRole("link", { name: "Open Desk" }).waitFor({ state: "detached" });
  const saved = page.waitForResponse((response) => response.request().method() === "PATCH" && response.ok());
  await page.getByRole("switch", { name: "No card numbers: on" }).filter({ visible: true }).click();
  await saved;
  await page.getByRole("link", { name: "Open No card numbers" }).click();
  await page.getByRole("button", { name: "More about No card numbers" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByLabel(/^Type/).fill("No card numbers");
  await page.getByRole("button", { name: "Delete the guardrail" }).click();
  await page.getByRole("link", { name: "Open Desk" }).waitFor();
  await page.getByRole("link", { name: "Open No card numbers" }).waitFor({ state: "detached" });
});

test("a picker of many agents and swarms draws few of them and finds the others", async (t, { openPage, instance }) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  // One more than a picker reads at once, and behind all of them the one that is sought.
  const names = Array.from({ length: 101 }, (_, at) => ({ name: `Agent ${at + 1_000}` }));
  await api.call("POST", "/rest/v1/agents", [...names, { name: "Zoe" }]);
  await page.goto("/guardrails/new");
  const picker = page.getByRole("combobox", { name: "Agent or swarm" });
  await picker.getByText("Agent Agent 1000").waitFor();
  await picker.click();
  const options = page.getByRole("dialog").getByRole("option");
  await options.nth(49).waitFor();
  assert.equal(await options.count(), 50);
  await page.getByText("Search to find the others.").waitFor();
  await checkAppearance(page, "picker");
  await page.getByPlaceholder("Search …").fill("zo");
  await page.getByRole("option", { name: "Agent Zoe" }).click();
  await picker.getByText("Agent Zoe").waitFor();
  // It stays chosen when it is among neither the first ones nor those that were found last.
  await picker.click();
  await page.getByPlaceholder("Search …").fill("1100");
  await page.getByRole("option", { name: "Agent Agent 1100" }).waitFor();
  await page.keyboard.press("Escape");
  await picker.getByText("Agent Zoe").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("No numbers");
  await page.getByLabel("Regular expression").fill("[0-9]");
  await page.getByRole("button", { name: "Create guardrail" }).click();
  await page.getByRole("heading", { level: 1, name: "No numbers" }).waitFor();
  const made = await api.call("GET", "/rest/v1/guardrails?select=agents(name)");
  assert.deepEqual(made, [{ agents: { name: "Zoe" } }]);
});

plainTest("the form of a guardrail keeps every kind of configuration as it is", () => {
  const configs: readonly [GuardrailKind, GuardrailConfig][] = [
    ["pattern", { pattern: "(?i)secret", replacement: "…" }],
    ["schema", { schema: { type: "object", required: ["id"] } }],
    ["model", { policy: "Advice.", framework: "provider_b", model: "m", on_error: "pass" }],
    ["model", { policy: "Advice." }],
    ["webhook", { url: "https://a.example", headers: { "x-key": "1" }, timeout_ms: 3_000, on_error: "pass" }],
    ["webhook", { url: "https://a.example" }],
  ];
  for (const [kind, config] of configs) {
    const columns = { name: "n", kind, stage: "output", action: "rewrite", position: 3, is_active: false } as const;
    const rendered = renderGuardrail(formOf({ ...columns, config } as Guardrail));
    assert.deepEqual(rendered, { draft: { ...columns, config } });
  }
});

plainTest("a guardrail without a valid schema or position has an error at its field", () => {
  const cases = [
    [{ kind: "schema", schema: null }, "config.schema"],
    [{ position: "x" }, "position"],
  ] as const;
  for (const [form, field] of cases) {
    const rendered = renderGuardrail({ ...EMPTY_GUARDRAIL, ...form });
    assert.deepEqual("faults" in rendered && Object.keys(rendered.faults), [field]);
  }
});
