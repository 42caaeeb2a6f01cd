import assert from "node:assert/strict";
import { checkAppearance } from "./support/appearance.ts";
import { createSignedInUser, openHome } from "./support/people.ts";
import { createSwarm } from "./support/swarms.ts";
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
