import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { scanWithAxe } from "./support/axe.ts";
import { checkAppearance } from "./support/looks.ts";
import { comeIn } from "./support/people.ts";
import { giveTools, makeRoom, waitUntil, write } from "./support/rooms.ts";
import { keepScreenshot } from "./support/screenshots.ts";
import { findVisitor } from "./support/session.ts";
import { setStage } from "./support/stage.ts";

// Slow enough to be seen at it, and to be interrupted.
const test = setStage({ SIMULATED_TOKENS_PER_SECOND: "15" });

test("a tool call is approved where it is asked for, and the run tells all of it", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await comeIn(page);
  const visitor = await findVisitor(page, instance);
  const { swarmId, agentIds } = await makeRoom(visitor, ["Ada", "Max"]);
  await giveTools(visitor, agentIds[0] ?? "");
  await page.goto(`/swarms/${swarmId}`);
  await write(page, '@Ada do it\n/tool calculator {"expression":"12*49"}\n/tool send_mail {"to":"bob"}');
  await page.getByText("Ada wants to use").waitFor();
  await page.getByText(/Counts as denied in 1[45] min/).waitFor();
  await checkAppearance(page, "room-approval");
  await page.goto("/swarms");
  await page.getByText("Needs you").first().waitFor();
  await checkAppearance(page, "swarms");
  await page.goto(`/swarms/${swarmId}/runs`);
  await page.getByRole("button", { name: "Open the run: @Ada do it" }).click();
  await page.getByText("Ada wants to use").waitFor();
  await scanWithAxe(page);
  await page.getByRole("button", { name: "Deny" }).click();
  await page.getByText("Everybody who was to answer has answered.").waitFor();
  await page.getByText("denied").first().waitFor();
  await page.locator("summary").filter({ hasText: "calculator" }).click();
  await page.getByText('"588"').waitFor();
  await checkAppearance(page, "run");
  await page.getByRole("link", { name: "All runs" }).click();
  await page.getByRole("button", { name: "Open the run" }).waitFor();
  await checkAppearance(page, "runs");
  await page.goto(`/swarms/${swarmId}/runs/${swarmId}`);
  await page.getByText("This run is not here").waitFor();
});

test("a run outlives the page, and is stopped with what it said", async (t, { openPage, instance }) => {
  const page = await openPage(t);
  await comeIn(page);
  const visitor = await findVisitor(page, instance);
  const { swarmId } = await makeRoom(visitor, ["Ada"]);
  await page.goto(`/swarms/${swarmId}`);
  await write(page, `Say this back: ${"a ".repeat(400)}`);
  await page.getByRole("article").getByText("[simulated] Ada").waitFor();
  await page.reload();
  await page.getByText("Ada is responding").waitFor();
  await page.getByRole("article").getByText("[simulated] Ada was called").waitFor();
  await keepScreenshot(page, "room-streaming");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Somebody stopped it.").waitFor();
  await scanWithAxe(page);
  await page.getByText("stopped", { exact: true }).waitFor();
  const answers = `/rest/v1/messages?swarm_id=eq.${swarmId}&sender_type=eq.agent&select=content,finish_reason`;
  let kept: { content: string; finish_reason: string } | undefined;
  await waitUntil(async () => {
    [kept] = (await visitor.call("GET", answers)) as { content: string; finish_reason: string }[];
    return kept?.finish_reason === "cancelled";
  });
  assert.match(kept?.content ?? "", /^\[simulated\] Ada/);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    (async () => {
      await page.getByRole("button", { name: "More about this swarm" }).click();
      await page.getByRole("menuitem", { name: "Export as Markdown" }).click();
    })(),
  ]);
  assert.equal(download.suggestedFilename(), "beehive-launch.md");
  assert.match(await readFile(await download.path(), "utf8"), /^# Beehive launch\n[\s\S]*\*\*Ada\*\*/);
});

test("an answer goes on after the last word that was heard", async (t, { openPage, instance }) => {
  const page = await openPage(t);
  await comeIn(page);
  const visitor = await findVisitor(page, instance);
  const { swarmId } = await makeRoom(visitor, ["Ada"]);
  const attached: unknown[] = [];
  // Nobody tells the page of the run but the run itself.
  await page.routeWebSocket(/realtime/, () => {});
  await page.route("**/functions/v1/agent-respond", async (route) => {
    const body: unknown = route.request().postDataJSON();
    if (!isRecord(body) || body["action"] !== undefined) {
      attached.push(body);
      return route.fallback();
    }
    // As if the line had gone dead after twelve events.
    const response = await route.fetch();
    const heard = (await response.text())
      .split("\n\n")
      .filter((block) => block.includes("id:"))
      .slice(0, 12);
    return route.fulfill({ response, body: `${heard.join("\n\n")}\n\n` });
  });
  await page.goto(`/swarms/${swarmId}`);
  await write(page, "Say this back: one two three");
  const answer = page.getByRole("article", { name: "Ada" });
  await answer.getByText(/one two three"? \(/).waitFor();
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  const [run] = (await visitor.call("GET", `/rest/v1/runs?swarm_id=eq.${swarmId}&select=id`)) as { id: string }[];
  assert.deepEqual(attached, [{ action: "attach", run_id: run?.id, last_event_id: 12 }]);
  assert.equal(await answer.count(), 1);
});

test("an agent that fails says so, and so does the run", async (t, { openPage, instance }) => {
  const page = await openPage(t);
  await comeIn(page);
  const visitor = await findVisitor(page, instance);
  const { swarmId } = await makeRoom(visitor, ["Ada", "Max"]);
  await page.goto(`/swarms/${swarmId}`);
  await write(page, "Hello both\n/fail refusal Max");
  await page.getByRole("link", { name: "See the run" }).waitFor();
  await page.getByRole("article").getByText("[simulated] Ada").waitFor();
  await keepScreenshot(page, "room-failed");
  await scanWithAxe(page);
  await page.getByRole("link", { name: "See the run" }).click();
  await page.getByRole("heading", { name: "Timeline" }).waitFor();
  await keepScreenshot(page, "run-failed");
  await scanWithAxe(page);
});

test("failed and stopped runs keep their line in the conversation, and are asked again from it", async (t, stage) => {
  const page = await stage.openPage(t);
  await comeIn(page);
  const visitor = await findVisitor(page, stage.instance);
  const { swarmId, agentIds } = await makeRoom(visitor, ["Ada", "Max"]);
  // Beside the page, which is not there to follow it.
  const asked = { swarm_id: swarmId, message: "Only Max\n/fail refusal", agent_ids: agentIds.slice(1) };
  await assert.rejects(visitor.call("POST", "/functions/v1/agent-respond", asked), /PROVIDER_ERROR/);
  await page.goto(`/swarms/${swarmId}`);
  const failed = "The provider of the model held the answer back. Max: the provider declined to answer.";
  const stopped = "Somebody stopped it. What was said by then is kept.";
  await page.getByText(failed).waitFor();
  await write(page, `Say this back: ${"a ".repeat(400)}`);
  await page.getByRole("article").getByText("[simulated] Ada was called").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText(stopped).waitFor();
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  await visitor.call("POST", "/rest/v1/messages", { swarm_id: swarmId, content: "Said afterwards" });
  await page.getByText("Said afterwards").waitFor();

  const wanted = ["Only Max", failed, "Say this back", "[simulated] Ada", stopped, "Said afterwards"];
  const readOrder = async () => {
    const text = await page.getByRole("region", { name: "Messages" }).innerText();
    return wanted.toSorted((left, right) => text.indexOf(left) - text.indexOf(right));
  };
  assert.deepEqual(await readOrder(), wanted);
  await page.reload();
  await page.getByText(stopped).waitFor();
  await page.getByText(failed).waitFor();
  await page.getByText("Said afterwards").waitFor();
  assert.deepEqual(await readOrder(), wanted);
  await checkAppearance(page, "room-run-ends");

  const first = page.getByRole("listitem").filter({ hasText: failed });
  assert.match(
    (await first.getByRole("link", { name: "See the run" }).getAttribute("href")) ?? "",
    /\/runs\/[0-9a-f-]{36}$/,
  );
  await first.getByRole("button", { name: "Ask again" }).click();
  await waitUntil(async () => {
    const path = `/rest/v1/runs?swarm_id=eq.${swarmId}&order=id.desc&limit=1&select=status,stop_reason,request,messages!runs_message_id_fkey(content)`;
    const [run] = (await visitor.call("GET", path)) as Record<string, unknown>[];
    const wantedRun = {
      status: "failed",
      stop_reason: "content_filtered",
      request: { source: "agent_respond", agent_ids: asked.agent_ids },
      messages: { content: asked.message },
    };
    return isDeepStrictEqual(run, wantedRun);
  });
  await page.getByText("The provider of the model held the answer back.").nth(1).waitFor();
  await page.reload();
  await page.getByText(failed).nth(1).waitFor();
});

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
