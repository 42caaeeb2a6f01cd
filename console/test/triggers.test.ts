import assert from "node:assert/strict";
import { test as plainTest } from "node:test";
import type { Trigger } from "../src/data/triggers.ts";
import { describeHold } from "../src/pages/starts/triggers/labels.ts";
import { renderTrigger, type TriggerForm } from "../src/pages/starts/triggers/trigger-draft.ts";
import { getApiClient } from "./support/api-client.ts";
import { checkAppearance } from "./support/appearance.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import { createSignedInUser, openHome } from "./support/people.ts";
import { createSwarm } from "./support/swarms.ts";

const test = createBrowserTest();

test("a trigger is made, gets a secret, shows what it receives, sends it again, and is changed and deleted", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t, { expected: [/400/] });
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  await createSwarm(api, ["Ada"], { name: "Shop" });

  await openHome(page);
  await page.getByRole("navigation").getByRole("link", { name: "Triggers" }).click();
  await page.getByRole("heading", { level: 1, name: "Triggers" }).waitFor();
  await page.getByRole("link", { name: "New trigger" }).first().click();
  await page.getByLabel("Agent or swarm").selectOption("Agent Ada");
  await page.getByLabel("Name", { exact: true }).fill("Paid orders");
  await page.getByLabel("Message", { exact: true }).fill("Order {{a b}} was paid.");
  await page.getByLabel("What proves the sender").selectOption("A bearer");
  await page.getByLabel("Calls in a minute, at most").fill("many");
  await page.getByRole("button", { name: "Create trigger" }).click();
  await page.getByText("Must be a number.").waitFor();
  await page.getByLabel("Calls in a minute, at most").fill("120");
  await page.getByRole("button", { name: "Create trigger" }).click();
  await page.getByText("which is no path").waitFor();
  await checkAppearance(page, "trigger-refused");
  await page.getByLabel("Message", { exact: true }).fill("Order {{id}} was paid.");
  await page.getByRole("button", { name: "Create trigger" }).click();
  await page.getByRole("heading", { level: 1, name: "Paid orders" }).waitFor();
  await page.getByText("It accepts no calls until it has a secret.").waitFor();
  await page.getByText("No call has been accepted.").waitFor();
  await page.getByRole("button", { name: "Create secret" }).click();
  const secret = (await page.locator("[data-secret]").textContent()) ?? "";
  assert.match(secret, /^[0-9a-f]{64}$/);

  const [made] = (await api.call("GET", "/rest/v1/triggers")) as Trigger[];
  assert.deepEqual([made?.verification, made?.calls_per_minute, made?.has_secret], ["bearer", 120, true]);
  const status = await page.evaluate(
    async ([path, bearer]) => {
      const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
      return (await fetch(String(path), { method: "POST", headers, body: '{"id": "order-1017"}' })).status;
    },
    [`/triggers/v1/${made?.id}`, secret],
  );
  assert.equal(status, 202);
  const calls = page.getByRole("list", { name: "Received calls" });
  await calls.getByText("Completed").waitFor();
  await calls.getByRole("group", { name: "Payload" }).locator("summary").click();
  await calls.getByText("order-1017").waitFor();
  await checkAppearance(page, "trigger");
  await calls.getByRole("button", { name: "Replay" }).click();
  await calls.getByText(/^Replay of/).waitFor();

  await page.getByLabel("Name", { exact: true }).fill("Orders");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { level: 1, name: "Orders" }).waitFor();
  await page.getByRole("navigation", { name: "Breadcrumbs" }).getByRole("link", { name: "Triggers" }).click();
  await page.getByRole("link", { name: "Open Orders" }).waitFor();
  await checkAppearance(page, "triggers");
  await page.getByRole("link", { name: "Open Orders" }).click();
  await page.getByRole("button", { name: "More about Orders" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByLabel(/^Type/).fill("Orders");
  await page.getByRole("button", { name: "Delete the trigger" }).click();
  await page.getByRole("link", { name: "Open Orders" }).waitFor({ state: "detached" });
  assert.deepEqual(await api.call("GET", "/rest/v1/triggers"), []);
});

const FORM: TriggerForm = {
  name: "n",
  message: "m",
  verification: "hmac",
  conversation: "new",
  signature_header: "X-Shop",
  signature_encoding: "base64",
  signature_prefix: "sha256=",
  event_id_path: " data.id ",
  filter: '{"a": 1}',
  calls_per_minute: "",
  max_tokens: "",
  max_cost_usd: "0.5",
  allowed_tools: "refund, close_order",
  pause_after_failures: "0",
};

plainTest("the form of a trigger becomes its columns, or has an error at its field", () => {
  const numbers = { calls_per_minute: 60, max_tokens: null, max_cost_usd: 0.5, pause_after_failures: 0 };
  const draft = {
    ...FORM,
    ...numbers,
    event_id_path: "data.id",
    filter: { a: 1 },
    allowed_tools: ["refund", "close_order"],
  };
  assert.deepEqual(renderTrigger(FORM), { draft });
  const rendered = renderTrigger({ ...FORM, event_id_path: "", max_cost_usd: "one" });
  assert.deepEqual("faults" in rendered && Object.keys(rendered.faults), ["max_cost_usd"]);
  const unread = renderTrigger({ ...FORM, filter: "[1]" });
  assert.deepEqual("faults" in unread && Object.keys(unread.faults), ["filter"]);
});

plainTest("a trigger that accepts no calls, or has refused some, says why", () => {
  const row = { enabled: true, has_secret: true, paused_reason: null, limited_at: null, unverified_at: null };
  const cases = [
    [{}, null],
    [{ enabled: false }, /^It is off/],
    [{ has_secret: false }, /until it has a secret/],
    [{ enabled: false, paused_reason: "failures" }, /failures in a row/],
    [{ enabled: false, paused_reason: "AGENT_NOT_FOUND" }, /stopped: AGENT_NOT_FOUND/],
    [{ unverified_at: "2030-01-01T00:00:00Z" }, /another signature .*2030/],
    [{ limited_at: "2030-01-01T00:00:00Z" }, /beyond its limit .*2030/],
  ] as const;
  for (const [changes, expected] of cases) {
    const text = describeHold({ ...row, ...changes } as Trigger);
    if (expected === null) assert.equal(text, null);
    else assert.match(text ?? "", expected);
  }
});
