import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { checkAppearance } from "./support/appearance.ts";
import { type ApiClient, getApiClient } from "./support/api-client.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import { createSignedInUser, navigate } from "./support/people.ts";

const test = createBrowserTest();

const KEEP = "Keep the saved values";
const OVERWRITE = "Save my values";

test("a form does not overwrite what another tab or person saved, and offers both values", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const id = await make(api, "agents", { name: "Iris", system_prompt: "Be kind.\nBe brief.", role: "Helps" });
  const read = async () =>
    ((await api.call("GET", `/rest/v1/agents?id=eq.${id}&select=name,role,system_prompt`)) as unknown[])[0];
  await page.goto(`/agents/${id}/settings`);
  const [role, prompt] = ["Role", "Instructions"].map((name) => page.getByRole("textbox", { name }));
  assert.ok(role !== undefined && prompt !== undefined);
  await role.fill("Explains");
  await prompt.fill("Be kind.\nBe thorough.");
  await api.call("PATCH", `/rest/v1/agents?id=eq.${id}`, { name: "Iris 2", system_prompt: "Be kind.\nBe funny." });
  await save(page);
  const dialog = page.getByRole("dialog", { name: "Changed in the meantime" });
  const difference = dialog.getByRole("region", { name: "System prompt" });
  assert.match(await difference.innerText(), /Be kind\.[^]*− Be funny\.[^]*\+ Be thorough\./);
  assert.equal(await dialog.getByRole("region").count(), 1);
  await checkAppearance(page, "form-conflict");
  await dialog.getByRole("button", { name: "Continue to edit" }).click();
  await page.getByText("It was changed in the meantime").waitFor();
  assert.equal(await prompt.inputValue(), "Be kind.\nBe thorough.");
  assert.deepEqual(await read(), { name: "Iris 2", role: "Helps", system_prompt: "Be kind.\nBe funny." });

  await save(page);
  await dialog.getByRole("button", { name: KEEP }).click();
  await page.getByText("All changes saved").waitFor();
  assert.deepEqual(await read(), { name: "Iris 2", role: "Explains", system_prompt: "Be kind.\nBe funny." });
  await prompt.and(page.getByText("Be funny.")).waitFor();

  // The saved values are compared once more: a third change is not overwritten either.
  await prompt.fill("Be kind.\nBe exact.");
  await api.call("PATCH", `/rest/v1/agents?id=eq.${id}`, { system_prompt: "Be quick." });
  await save(page);
  await difference.getByText("Be quick.").waitFor();
  await api.call("PATCH", `/rest/v1/agents?id=eq.${id}`, { system_prompt: "Be slow." });
  await dialog.getByRole("button", { name: OVERWRITE }).click();
  await difference.getByText("Be slow.").waitFor();
  await dialog.getByRole("button", { name: OVERWRITE }).click();
  await page.getByText("All changes saved").waitFor();
  assert.deepEqual(await read(), { name: "Iris 2", role: "Explains", system_prompt: "Be kind.\nBe exact." });

  const swarm = await make(api, "swarms", { name: "Beehive" });
  const dataset = await make(api, "eval_datasets", { name: "Answers" });
  const forms = [
    {
      table: "swarms",
      form: "Settings of the swarm",
      id: swarm,
      path: "swarms/ID/settings",
      field: "Description",
      column: "description",
    },
    {
      table: "tools",
      form: "Edit the tool",
      id: await make(api, "tools", {
        name: "find_order",
        description: "Finds an order.",
        kind: "http",
        config: { method: "GET", url: "https://example.com/" },
      }),
      path: "tools/ID/edit",
      field: "Description",
      column: "description",
    },
    {
      table: "webhooks",
      form: "Save",
      id: await make(api, "webhooks", { name: "Desk", url: "https://example.com/", events: ["agent.created"] }),
      path: "webhooks/ID/edit",
      field: "Name",
      column: "name",
    },
    {
      table: "guardrails",
      form: "Edit the guardrail",
      id: await make(api, "guardrails", {
        agent_id: id,
        name: "Numbers",
        kind: "pattern",
        stage: "input",
        config: { pattern: "[0-9]" },
      }),
      path: "guardrails/ID",
      field: "Name",
      column: "name",
    },
    {
      table: "eval_datasets",
      form: "Edit the dataset",
      id: dataset,
      path: "evals/ID/edit",
      field: "Description",
      column: "description",
    },
    {
      table: "eval_cases",
      form: "First",
      id: await make(api, "eval_cases", {
        dataset_id: dataset,
        name: "First",
        input: "Who are you?",
        expectation: { kind: "contains", texts: ["Iris"] },
      }),
      path: `evals/${dataset}/cases/ID`,
      field: "Input",
      column: "input",
    },
  ];
  for (const { table, form, id: rowId, path, field, column } of forms) {
    const closes = table === "webhooks" || table === "eval_cases";
    const place = `/${path.replace("ID", rowId)}`;
    await navigate(page, place);
    // The form of the page before has fields with the same labels.
    const input = page
      .getByRole("form", { name: form, exact: true })
      .getByRole("textbox", { name: new RegExp(`^${field}( \\(optional\\))?$`) });
    await input.fill("mine");
    await api.call("PATCH", `/rest/v1/${table}?id=eq.${rowId}`, { [column]: "theirs" });
    await save(page);
    const shown = await dialog.getByRole("region").innerText();
    assert.match(shown, /− theirs[^]*\+ mine/, table);
    const choice = table === "swarms" || table === "eval_cases" ? KEEP : OVERWRITE;
    await dialog.getByRole("button", { name: choice }).click();
    // The form closes, or has nothing to save.
    if (closes) await page.waitForURL((url) => url.pathname !== place);
    else await page.getByText("All changes saved").waitFor();
    const [stored] = (await api.call("GET", `/rest/v1/${table}?id=eq.${rowId}`)) as Record<string, unknown>[];
    assert.equal(stored?.[column], choice === KEEP ? "theirs" : "mine", table);
  }
});

async function save(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Save", exact: true }).click();
}

async function make(api: ApiClient, table: string, row: unknown): Promise<string> {
  const [made] = (await api.call("POST", `/rest/v1/${table}`, row)) as { id: string }[];
  return made?.id ?? "";
}
