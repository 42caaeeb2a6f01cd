import assert from "node:assert/strict";
import type { WebSocketRoute } from "playwright-core";
import { checkAppearance } from "./support/appearance.ts";
import { createSignedInUser, openHome } from "./support/people.ts";
import { createSwarm, sendMessage } from "./support/swarms.ts";
import { getApiClient } from "./support/api-client.ts";
import { createBrowserTest } from "./support/browser-test.ts";

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
    .getByText(/one two three"? \(/)
    .waitFor();
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  assert.equal(await messages.getByText("During the loss", { exact: true }).count(), 0);
  isLost = false;
  await messages.getByText("During the loss", { exact: true }).waitFor();
});
