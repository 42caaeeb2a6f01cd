import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { getApiClient } from "./support/api-client.ts";
import { checkAppearance } from "./support/appearance.ts";
import { readSession } from "./support/browser-contexts.ts";
import { createBrowserTest, NARROW, WIDE } from "./support/browser-test.ts";
import { countClicks } from "./support/count-clicks.ts";
import { enrolFactor } from "./support/factor.ts";
import { createPerson, createSignedInUser, navigate } from "./support/people.ts";
import { takeScreenshot } from "./support/screenshots.ts";

const archive = mkdtempSync(join(tmpdir(), "swarmbase-archive-"));
const test = createBrowserTest({
  EXTENSIONS: "operator,backup",
  OPERATOR_ENABLED: "true",
  ACCESS_LOG_ENABLED: "true",
  BACKUP_DIR: archive,
  BACKUP_WAL_INTERVAL_SECONDS: "1",
});
// After the service has ended: the hooks of a file run in their order.
after(() => rm(archive, { recursive: true, force: true }));

test("an operator finds and disables a user, fixes a row, and sees both in the audit log", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  const bob = createPerson("Bob <b>Bold</b>");
  await createSignedInUser(page, bob);
  const api = await getApiClient(page, instance);
  const [agent] = (await api.call("POST", "/rest/v1/agents", { name: "Max" })) as [{ id: string }];
  await api.call("POST", "/functions/v1/agent-respond", { agent_id: agent.id, message: "a secret question" });
  // The simulated provider costs nothing.
  const paid = { user_id: api.userId, payer_id: api.userId, framework: "provider_a", model: "m", cost_usd: 12.5 };
  await api.callAsService("POST", "/rest/v1/usage_records", paid);
  await page.goto("/operator");
  await page.getByRole("heading", { name: "This page is for operators" }).waitFor();
  const nav = page.getByRole("navigation", { name: "Main" }).filter({ visible: true });
  await nav.getByRole("link", { name: "Agents", exact: true }).waitFor();
  assert.equal(await page.getByRole("switch", { name: "Operator" }).count(), 0);

  const ada = await createSignedInUser(page, createPerson("Ada"));
  const key = instance.service_role_key;
  const added = await page.request.post("/operator/v1/operators", {
    headers: { apikey: key, authorization: `Bearer ${key}` },
    data: { user_id: (await readSession(page)).user.id },
  });
  assert.equal(added.status(), 201, await added.text());
  await page.goto("/operator");
  await page.getByRole("heading", { name: "A second factor is needed" }).waitFor();
  await enrolFactor(page, instance);
  await page.goto("/");
  await page.getByRole("switch", { name: "Operator" }).filter({ visible: true }).click();
  await page.getByRole("heading", { level: 1, name: "Users" }).waitFor();
  // One switch exchanges the whole menu, on a narrow screen under "More".
  const view = page.getByRole("switch", { name: "Operator" });
  await nav.getByRole("link", { name: "Audit log" }).waitFor();
  assert.equal(await nav.getByRole("link", { name: "Agents", exact: true }).count(), 0);
  await view.click();
  await page.waitForURL("/");
  await nav.getByRole("link", { name: "Agents", exact: true }).waitFor();
  await page.setViewportSize({ width: NARROW, height: 740 });
  await page.getByRole("button", { name: "More" }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("switch", { name: "Operator" }).click();
  await drawer.getByRole("link", { name: "Nodes" }).waitFor();
  await takeScreenshot(page, "operator-more");
  assert.equal(await drawer.getByRole("link", { name: "Agents", exact: true }).count(), 0);
  await drawer.getByRole("link", { name: "Users" }).click();
  await drawer.waitFor({ state: "detached" });
  await page.setViewportSize({ width: WIDE, height: 900 });
  await nav.getByRole("link", { name: "Users" }).and(page.locator("[aria-current=page]")).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Search everything").fill(bob.email);
  await page.getByRole("group", { name: "Users" }).getByText(bob.email).waitFor();
  await page.keyboard.press("Escape");
  const order = page.getByLabel("Order").filter({ visible: true });
  assert.equal(await order.inputValue(), "cost_month");
  await order.selectOption({ label: "Tokens, today" });
  await page.waitForURL(/sort=tokens_today/);
  const first = page.locator("[data-row]").first();
  await first.getByRole("link", { name: bob.email }).waitFor();
  await first.getByText(/^Tokens.*: [1-9]\d* \/ [1-9]\d*$/).waitFor();
  await page.getByLabel("Search by name, address or id").fill(bob.name.toUpperCase());
  await page.getByRole("link", { name: ada.email }).waitFor({ state: "hidden" });
  await checkAppearance(page, "operator-users");
  await page.getByRole("link", { name: bob.email }).click();
  await page.getByRole("heading", { level: 1, name: bob.email }).waitFor();
  await page.getByLabel("Tokens per day").fill("5");
  await page.getByLabel("Runs per day").fill("1");
  await page.getByLabel("Reason").fill("has not <b>paid</b>");
  await page.getByRole("button", { name: "Save limits" }).click();
  await page.getByText("The limits are saved.", { exact: true }).waitFor();
  await page.getByText("Over the limit").waitFor();
  await page.getByText("Limit reached").waitFor();
  await page.getByText(/^1 of 1 /).waitFor();
  await checkAppearance(page, "operator-user");
  await page.goto("/");
  const clicks = await countClicks(page);
  await view.click();
  await page.locator("[data-row]").first().getByRole("link", { name: bob.email }).click();
  await page.getByRole("heading", { level: 1, name: bob.email }).waitFor();
  assert.ok((await clicks.count()) <= 3, "the most expensive customer");
  await page.getByRole("link", { name: "Changes", exact: true }).click();
  await page
    .getByText("Runs per day: none → 1, Tokens per day: none → 5, “has not <b>paid</b>”")
    .filter({ visible: true })
    .waitFor();
  assert.ok((await clicks.count()) <= 4, "who changed a limit, from what to what");
  await page.getByRole("button", { name: /^Changed limits/ }).click();
  const entry = page.getByRole("dialog");
  await entry.getByText("has not <b>paid</b>", { exact: true }).waitFor();
  await entry.getByRole("link", { name: `Ada, ${ada.email}` }).waitFor();
  await entry.getByRole("link", { name: `${bob.name}, ${bob.email}` }).click();
  await page.getByRole("button", { name: "Disable" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Disable" }).click();
  // Nothing is sent without a reason.
  await dialog.getByLabel("Reason").fill("spam");
  await dialog.getByRole("button", { name: "Disable" }).click();
  await page.getByText("The user is disabled.", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Enable" }).waitFor();
  await assert.rejects(api.call("GET", "/rest/v1/profiles"));

  await navigate(page, "/operator/tables");
  await page.getByLabel("Search tables").fill("profiles");
  await page.getByRole("link", { name: "profiles", exact: true }).click();
  await page.getByRole("form", { name: "Add a filter" }).getByLabel("Column").selectOption("email");
  await page.getByRole("textbox", { name: "Value" }).fill(bob.email);
  await page.getByRole("button", { name: "Add filter" }).click();
  const cell = page.getByRole("button", { name: `Edit full_name: ${bob.name}` });
  await cell.click();
  const field = page.getByRole("textbox", { name: "full_name" });
  await field.fill("Bob Bold");
  await field.press("Enter");
  await page.getByRole("button", { name: "Edit full_name: Bob Bold" }).waitFor();
  await checkAppearance(page, "operator-table");

  await navigate(page, "/operator/logs");
  await page.getByRole("heading", { level: 1, name: "Logs" }).waitFor();
  const sent = await page.request.get("/auth/v1/settings");
  const requestId = sent.headers()["x-request-id"] ?? "";
  await page.getByLabel("Request id").fill(requestId);
  // The line is stored about a second after the request, and the tail shows it.
  await page.getByRole("switch", { name: "Live" }).click();
  const lines = page.getByRole("button", { name: /^request \d+/ });
  await lines.nth(1).waitFor({ state: "hidden" });
  await lines.first().click();
  await page.getByRole("dialog").getByText(requestId).first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByLabel("Time", { exact: true }).selectOption("hour");
  await lines.first().waitFor();
  await checkAppearance(page, "operator-logs");
  await page.getByRole("switch", { name: "Live" }).click();
  await navigate(page, "/operator/metrics");
  await page.getByRole("heading", { level: 2, name: "Requests per minute" }).waitFor();
  await page.getByRole("radio", { name: "7 days" }).click();
  await page.waitForURL(/hours=168/);
  await page.getByRole("img", { name: "Realtime sockets" }).waitFor();
  await checkAppearance(page, "operator-metrics");

  await navigate(page, "/operator/nodes");
  await page.getByText("Version 0.").first().waitFor();
  await page.getByText(archive, { exact: true }).waitFor();
  // The process reports every 15 seconds.
  await page.getByText(/^any time from .* until .*\d/).waitFor();
  await page.getByText("Archiving", { exact: true }).waitFor();
  await page.getByText("a base backup every 24 h, changes after 1 s").waitFor();
  await page.getByText("none is known; set BACKUP_VERIFY_INTERVAL_SECONDS for a schedule").waitFor();
  await page.getByText("none since the process started").waitFor();
  await checkAppearance(page, "operator-nodes");
  await navigate(page, "/operator/services");
  await page.getByRole("button", { name: "Send test", exact: true }).first().click();
  await page.getByText(/answered in .*\[simulated\]/).waitFor();
  await page.getByRole("button", { name: "Send test mail" }).click();
  await page.getByText(`The mail to ${ada.email} was written to the folder.`).waitFor();
  await checkAppearance(page, "operator-services");
  await navigate(page, "/operator/settings");
  await page.getByLabel("Search settings").fill("operator_");
  await page.getByText("DATABASE_URL", { exact: true }).waitFor({ state: "hidden" });
  await page.getByText("OPERATOR_ENABLED", { exact: true }).waitFor();
  await checkAppearance(page, "operator-settings");

  await navigate(page, "/operator/audit");
  await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
  const row = (text: string) => page.getByRole("button", { name: new RegExp(`^${text}`) }).first();
  await row("Sent a test mail").waitFor();
  assert.equal(await row("Read audit").count(), 0);
  await page.getByLabel("Reads").selectOption("true");
  await row("Read audit").waitFor();
  await page.getByRole("button", { name: "Remove the filter Reads" }).click();
  await page.getByLabel("Action").selectOption("tables.edit");
  await row("Edited a row").waitFor();
  await page.getByText(`full_name: ${bob.name} → Bob Bold`).filter({ visible: true }).waitFor();
  await row("Sent a test mail").waitFor({ state: "hidden" });
  await page.goto(`/operator/audit?subject=${api.userId}`);
  await page.getByLabel("Actor").selectOption(ada.email);
  await row("Disabled a user Bob Bold").waitFor();
  await page.getByText("State: active → disabled, “spam”").filter({ visible: true }).waitFor();
  assert.ok(!(await page.content()).includes("a secret question"));
  await checkAppearance(page, "operator-audit");
});

test("a user sees the limits that an operator imposes", async (t, { openPage, instance }) => {
  const page = await openPage(t);
  await createSignedInUser(page, createPerson("Cy"));
  const api = await getApiClient(page, instance);
  const limits = { imposed_daily_token_budget: 5000, imposed_daily_runs: 20 };
  await api.callAsService("PATCH", `/rest/v1/user_settings?user_id=eq.${api.userId}`, limits);
  await page.goto("/account/budgets");
  await page.getByText("The operator of this service allows you 5,000 tokens, 20 runs a day.").waitFor();
});
