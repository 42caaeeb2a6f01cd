import assert from "node:assert/strict";
import { test as unitTest } from "node:test";
import type { Locator } from "playwright-core";
import { checkAppearance } from "./support/appearance.ts";
import { getApiClient } from "./support/api-client.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import { createSignedInUser, navigate } from "./support/people.ts";
import { createSwarm } from "./support/swarms.ts";
import { tokenize } from "../src/components/tokenize.ts";

const test = createBrowserTest();

const TEXT = 'A **bold** word.\n```ts\nconst answer = "none"; // why\n```';

test("a message looks the same in a swarm and in Try it, and has its own direction", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId, agentIds } = await createSwarm(api, ["Ada"]);
  await api.call("POST", "/rest/v1/messages", { swarm_id: swarmId, content: TEXT });
  await api.call("POST", "/rest/v1/messages", { swarm_id: swarmId, content: "שלום **עולם**" });
  await page.goto(`/swarms/${swarmId}`);
  const messages = page.getByRole("region", { name: "Messages" });
  await assertRendered(messages);
  assert.equal(await directionOf(messages.getByText("עולם", { exact: true })), "rtl");
  assert.equal(await directionOf(messages.getByText("bold", { exact: true })), "ltr");
  await checkAppearance(page, "messages");

  await navigate(page, `/agents/${agentIds[0]}/try`);
  await page.getByRole("textbox", { name: /Ada/ }).fill(TEXT);
  await page.keyboard.press("Enter");
  await assertRendered(page.getByRole("log", { name: "Conversation" }));
});

async function assertRendered(place: Locator): Promise<void> {
  await place.locator("strong").filter({ hasText: "bold" }).first().waitFor();
  const code = place.getByRole("group", { name: "ts" }).first();
  await code.locator("span").filter({ hasText: "const" }).waitFor();
  assert.equal(await code.textContent(), 'const answer = "none"; // why');
}

async function directionOf(found: Locator): Promise<string> {
  return found.evaluate((element) => getComputedStyle(element).direction);
}

test("tabs open in a new tab and stay in view, optional fields say so, and a page that could not be loaded recovers", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t, { expected: [/ERR_FAILED|Failed to fetch|dynamically imported/] });
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { agentIds } = await createSwarm(api, ["Ada"]);
  await page.goto(`/agents/${agentIds[0]}`);
  const [opened] = await Promise.all([
    page.context().waitForEvent("page"),
    page.getByRole("tab", { name: "Settings" }).click({ modifiers: ["Control"] }),
  ]);
  await opened.getByLabel("Role (optional)").waitFor();
  await opened.close();
  assert.match(page.url(), new RegExp(`/agents/${agentIds[0]}$`));

  await page.setViewportSize({ width: 360, height: 740 });
  await navigate(page, `/agents/${agentIds[0]}/history`);
  const tab = page.getByRole("tab", { name: "History", selected: true });
  await tab.waitFor();
  await page.waitForFunction(isTabInView);

  // Aborted requests, because a browser that is offline still has the files in its cache.
  for (const path of LOST) await page.route(path, (route) => route.abort());
  await navigate(page, "/usage");
  await page.getByText("This part could not be loaded").waitFor();
  for (const path of LOST) await page.unroute(path);
  await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
});

const LOST = ["**/assets/*", "**/health"];

function isTabInView(): boolean {
  const box = document.querySelector("[role=tab][data-state=active]")?.getBoundingClientRect();
  return box !== undefined && box.left >= 0 && box.right <= innerWidth + 1;
}

unitTest("code is split into comments, strings, numbers and keywords, and nothing is lost", () => {
  const kinds = (code: string, language: string) =>
    tokenize(code, language)
      .filter(({ kind }) => kind !== "plain")
      .map(({ kind, text }) => `${kind}: ${text}`);
  assert.deepEqual(kinds("let a = 'x\\'y' + 1.5 // b\nletter", "ts"), [
    "keyword: let",
    "string: 'x\\'y'",
    "number: 1.5",
    "comment: // b",
  ]);
  assert.deepEqual(kinds("SELECT 1 -- one", "sql"), ["keyword: SELECT", "number: 1", "comment: -- one"]);
  assert.deepEqual(kinds("let a", "unknown"), []);
  for (const code of ["", "`${", "'", '{"a": [1, null]}', "/* open", "# no\n"])
    for (const language of ["ts", "json", "sh", "py", "sql", "html"])
      assert.equal(
        tokenize(code, language)
          .map(({ text }) => text)
          .join(""),
        code,
      );
});
