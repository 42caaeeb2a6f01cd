import assert from "node:assert/strict";
import { test as plainTest } from "node:test";
import type { Locator, WebSocketRoute } from "playwright-core";
import { toPlainLine } from "../src/components/to-plain-line.ts";
import { checkAppearance } from "./support/appearance.ts";
import { createSignedInUser, navigate, openHome } from "./support/people.ts";
import { assignTools, createSwarm, sendMessage, waitUntil } from "./support/swarms.ts";
import { getApiClient } from "./support/api-client.ts";
import { readClipboard } from "./support/clipboard.ts";
import { longPress } from "./support/keys.ts";
import { createBrowserTest, NARROW, WIDE } from "./support/browser-test.ts";

const test = createBrowserTest();

test("HTML in messages is shown as text", async (t, { openPage, instance }) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId } = await createSwarm(api, ["Ada"]);
  const say = (content: string) => api.call("POST", "/rest/v1/messages", { swarm_id: swarmId, content });
  const hostile = [
    "function f<T>(x: Array<T>): Map<string, T>",
    "<script>document.title = 'script'</script>",
    '<img src="x" onerror="document.title = \'image\'">',
    "Before <b onclick=alert(1)>it</b> <iframe src=//evil.example></iframe> <!-- a comment -->",
    "<details open ontoggle=\"document.title = 'toggle'\">\n  <style>body { display: none }</style>\n</details>",
    "> <svg onload=\"document.title = 'quoted'\">",
    "| a<x> |\n| --- |\n| <i>b</i> |",
    '- item <a href="javascript:alert(1)">link</a>',
  ];
  for (const content of hostile) await say(content);
  await say('[run](javascript:document.title="link") <javascript:alert(1)>');
  await say("call find_order(a * b) # first > second");
  await page.goto(`/swarms/${swarmId}`);
  const messages = page.getByRole("region", { name: "Messages" });
  for (const text of [
    "function f<T>(x: Array<T>): Map<string, T>",
    "<script>document.title = 'script'</script>",
    '<img src="x" onerror="document.title = \'image\'">',
    "Before <b onclick=alert(1)>it</b> <iframe src=//evil.example></iframe> <!-- a comment -->",
    "<style>body { display: none }</style>",
    "<svg onload=\"document.title = 'quoted'\">",
    "<i>b</i>",
    'item <a href="javascript:alert(1)">link</a>',
  ])
    await messages.getByText(text).first().waitFor();
  assert.equal(await messages.locator("script, img, iframe, style, b, i, details, svg[onload]").count(), 0);
  await messages.getByText("run javascript:alert(1)").waitFor();
  assert.equal(await messages.locator("a").count(), 0);
  assert.match(await page.title(), /^Beehive launch/);
  await checkAppearance(page, "room-markup");

  const preview = "call find_order(a * b) # first > second";
  await page.goto("/swarms");
  await page.getByText(preview).waitFor();
  await openHome(page);
  await page.getByText(preview).waitFor();
});

plainTest("toPlainLine removes the marks of Markdown and keeps other characters", () => {
  const cases = {
    "# Title\n**Bold**, _it_ and [a link](https://example.com)": "Title Bold, it and a link",
    "- one\n* two\n> three": "one two three",
    "`x` and **use `y` now** ~~old~~ ![picture](https://example.com/p.png)": "x and use y now old picture",
    "```js\na\n```\nafter": "a after",
    "| a | b |\n| --- | :-: |\n| 1 | 2 |": "| a | b | | 1 | 2 |",
    "first\n---\nsecond": "first second",
    "2 * 3 * 4, a_b_c, #tag, -5, 1. one": "2 * 3 * 4, a_b_c, #tag, -5, 1. one",
  };
  for (const [text, line] of Object.entries(cases)) assert.equal(toPlainLine(text), line);
  assert.equal(toPlainLine("**a ".repeat(100_000), 10), "**a **a **…");
});

test("a long message folds, tool calls are one line, code copies, and a draft outlives its agent and its swarm", async (t, {
  openPage,
  instance,
}) => {
  // The page reads the agent that is gone once more.
  const page = await openPage(t, { expected: [/404 .*\/rest\/v1\/agents/u] });
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId, agentIds } = await createSwarm(api, ["Ada"]);
  await assignTools(api, agentIds[0] ?? "");
  const long = Array.from({ length: 60 }, (_, line) => `Line ${line}`).join("\n");
  await api.call("POST", "/rest/v1/messages", {
    swarm_id: swarmId,
    content: `${long}\n\n\`\`\`ts\nlet a = 1;\n\`\`\``,
  });
  const calls = ["1+1", "2+2"].map((expression) => `/tool calculator {"expression":"${expression}"}`);
  const message = ["Work it out", ...calls].join("\n");
  await api.call("POST", "/functions/v1/agent-respond", { swarm_id: swarmId, message });
  await page.goto(`/swarms/${swarmId}`);
  const article = page.getByRole("article").filter({ hasText: "Line 0" });
  const heightOf = async (): Promise<number> => (await article.boundingBox())?.height ?? 0;
  const more = article.getByRole("button", { name: "Show the whole message" });
  await more.waitFor();
  await article.getByText("Line 0").waitFor();
  assert.ok((await heightOf()) < 450, `the folded message is ${await heightOf()} high`);
  await checkAppearance(page, "room-folded");
  await more.click();
  await waitUntil(async () => (await heightOf()) > 900);
  await article.getByRole("button", { name: "Copy: ts" }).click();
  await readClipboard(page, "let a = 1;");
  await article.getByRole("button", { name: "Show less" }).click();
  await waitUntil(async () => (await heightOf()) < 450);
  const folded = page.locator("summary").filter({ hasText: "2 tool calls" });
  await folded.getByText("calculator ×2").waitFor();
  const lines = page.locator("summary").filter({ hasText: /^calculator/ });
  assert.equal(await lines.filter({ visible: true }).count(), 0);
  await folded.click();
  await lines.first().waitFor();
  assert.equal(await lines.count(), 2);

  await page.getByRole("textbox", { name: "Message", exact: true }).fill("Half a sentence");
  await navigate(page, `/agents/${agentIds[0]}/try`);
  await page.getByLabel("Message to Ada").fill("Words to Ada");
  await api.call("DELETE", `/rest/v1/agents?id=eq.${agentIds[0]}`);
  await page.getByRole("heading", { level: 1, name: "No such agent" }).waitFor();
  const kept = page.getByRole("group", { name: "What you were writing" });
  await kept.getByText("Words to Ada").waitFor();
  await api.call("DELETE", `/rest/v1/swarms?id=eq.${swarmId}`);
  await navigate(page, `/swarms/${swarmId}`);
  await kept.getByText("Half a sentence").waitFor();
  const countKept = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes("draft")).length);
  assert.equal(await countKept(), 2);
  await page.getByRole("button", { name: /^Grace Hopper/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  assert.equal(await countKept(), 0, "the next person at this browser can read the drafts");
});

test("on a narrow screen the buttons of a message, the avatars of a swarm and notices cover nothing", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t, { width: NARROW });
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId, agentIds } = await createSwarm(api, ["Ada", "Ben", "Cyd", "Dora", "Eve"], { name: "Beekeepers" });
  for (const content of ["**First** words", "Second_message_of_the_same_person_without_any_space_".repeat(4)])
    await api.call("POST", "/rest/v1/messages", { swarm_id: swarmId, content });
  const held = Promise.withResolvers<void>();
  await page.route("**/rendered-markdown-*.js", (route) => held.promise.then(() => route.continue()));
  await page.goto(`/swarms/${swarmId}`);
  const text = page.getByText("Second_message");
  const menu = page.getByRole("button", { name: "More about the message of Grace Hopper" }).last();
  await page.getByText("**First** words").waitFor();
  assert.equal(await isOnTop(menu), false, "a tap on the text opens the menu");
  held.resolve();
  await page.getByText("**First** words").waitFor({ state: "detached" });
  await text.dispatchEvent("pointerdown", { pointerType: "touch" });
  await text.dispatchEvent("pointercancel", { pointerType: "touch" });
  await longPress(page.getByText("First words"));
  assert.equal(await page.getByRole("menu").count(), 1, "a scroll opens a menu, too");
  await page.getByRole("menuitem", { name: "Copy the text" }).click();
  await readClipboard(page, "**First** words");

  await page.setViewportSize({ width: 700, height: 740 });
  await navigate(page, "/swarms");
  const row = page.getByRole("listitem").filter({ hasText: "Beekeepers" });
  await row.getByText("+2").waitFor();
  assert.equal(await isCovered(row.getByText("Beekeepers"), row.getByText("+2")), false);
  await row.getByText("Grace Hopper: Second_message").waitFor();

  for (const width of [NARROW, WIDE]) {
    await page.setViewportSize({ width, height: 740 });
    await navigate(page, `/agents/${agentIds[0]}/settings`);
    // A notice disappears by itself, so each has a text of its own instead of being dismissed.
    await page.getByRole("textbox", { name: "Name", exact: true }).fill(`Ada ${width}`);
    const save = page.getByRole("button", { name: "Save", exact: true });
    await save.click();
    const notice = page.getByRole("listitem").filter({ hasText: `Ada ${width} is saved` });
    assert.equal(await isCovered(save, notice), false);
    await navigate(page, "/swarms");
  }
});

/** Whether a tap on the middle of an element hits it. */
function isOnTop(element: Locator): Promise<boolean> {
  return element.evaluate((found) => {
    const { left, top, width, height } = found.getBoundingClientRect();
    return found.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
}

/** Whether two elements overlap. Both are measured at once: elements of a list that is being laid out move, or have no place. */
async function isCovered(element: Locator, other: Locator): Promise<boolean> {
  let isMet: boolean | null = null;
  await waitUntil(async () => {
    isMet = await element.evaluate(
      (first, second) => {
        const [a, b] = [first.getBoundingClientRect(), second?.getBoundingClientRect()];
        if (b === undefined || a.width === 0 || b.width === 0) return null;
        return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
      },
      await other.elementHandle(),
    );
    return isMet !== null;
  });
  return isMet === true;
}

test("a message that arrives before a streamed reply while realtime is lost is shown after reconnecting", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId } = await createSwarm(api, ["Ada"]);
  let isLost = false;
  const sockets = new Set<WebSocketRoute>();
  await page.routeWebSocket(/realtime/, (socket) => {
    if (isLost) return void socket.close({ code: 1001 });
    sockets.add(socket);
    socket.connectToServer();
  });
  const say = (content: string) => api.call("POST", "/rest/v1/messages", { swarm_id: swarmId, content });
  await page.goto(`/swarms/${swarmId}`);
  const messages = page.getByRole("region", { name: "Messages" });
  await page.getByRole("textbox", { name: "Message", exact: true }).waitFor();
  await say("Before the loss");
  await messages.getByText("Before the loss", { exact: true }).waitFor();
  isLost = true;
  for (const socket of sockets) await socket.close({ code: 1001 });
  await say("During the loss");
  await sendMessage(page, "Say this back: one two three");
  await page
    .getByRole("article", { name: "Ada" })
    .getByText(/one two three".* \(/)
    .waitFor();
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  assert.equal(await messages.getByText("During the loss", { exact: true }).count(), 0);
  isLost = false;
  await messages.getByText("During the loss", { exact: true }).waitFor();
});
