import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { scanWithAxe } from "./support/axe.ts";
import { checkAppearance } from "./support/appearance.ts";
import { createSignedInUser, navigate } from "./support/people.ts";
import { assignTools, createSwarm, waitUntil, sendMessage } from "./support/swarms.ts";
import { takeScreenshot } from "./support/screenshots.ts";
import { getApiClient } from "./support/api-client.ts";
import { createBrowserTest } from "./support/browser-test.ts";

// Slow enough to be observed and interrupted.
const test = createBrowserTest({ SIMULATED_TOKENS_PER_SECOND: "15" });

test("a tool call is approved in the conversation, and the trace of its run shows what was said", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId, agentIds } = await createSwarm(api, ["Ada", "Max"]);
  await assignTools(api, agentIds[0] ?? "");
  await page.goto(`/swarms/${swarmId}`);
  await sendMessage(page, '@Ada do it\n/tool calculator {"expression":"12*49"}\n/tool send_mail {"to":"bob"}');
  await page.getByText("Ada wants to use").waitFor();
  await page.getByText(/Denied automatically in 1[45] min/).waitFor();
  await checkAppearance(page, "room-approval");
  await navigate(page, "/swarms");
  await page.getByRole("heading", { level: 1, name: "Swarms" }).waitFor();
  await page.getByText("Action required").first().waitFor();
  await checkAppearance(page, "swarms");
  await navigate(page, `/swarms/${swarmId}/runs`);
  await page.getByRole("button", { name: "Open the run: @Ada do it" }).waitFor();
  const [run] = (await api.call("GET", `/rest/v1/runs?swarm_id=eq.${swarmId}&select=id`)) as { id: string }[];
  await navigate(page, `/runs/${run?.id}`);
  await page.getByText("Ada wants to use").waitFor();
  await scanWithAxe(page);
  await page.getByRole("button", { name: "Deny" }).click();
  await page.getByText("All agents have answered.").waitFor();
  const parts = page.getByRole("list", { name: "Trace" });
  await parts.getByRole("button", { name: /^Approval of send_mail Denied/u }).waitFor();
  const said = page.getByRole("list", { name: "Conversation" }).getByRole("listitem");
  await said.filter({ hasText: "[simulated]" }).waitFor();
  assert.match((await said.first().innerText()) ?? "", /@Ada do it/u);
  await checkAppearance(page, "run");
  await page.getByRole("link", { name: "In the conversation" }).click();
  await page.getByRole("article").getByText("@Ada do it").waitFor();
  await navigate(page, `/swarms/${swarmId}/runs`);
  await page.getByRole("button", { name: "Open the run" }).waitFor();
  await checkAppearance(page, "runs");
});

test("a run continues without the page, and stopping it keeps its text", async (t, { openPage, instance }) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId } = await createSwarm(api, ["Ada"]);
  await page.goto(`/swarms/${swarmId}`);
  await sendMessage(page, `Say this back: ${"a ".repeat(400)}`);
  await page.getByRole("article").getByText("[simulated]").waitFor();
  await page.reload();
  await page.getByText("Ada is responding").waitFor();
  await page
    .getByRole("article")
    .getByText(/\[simulated\] .* wrote/)
    .waitFor();
  await takeScreenshot(page, "room-streaming");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("A user cancelled the run.").waitFor();
  await scanWithAxe(page);
  await page.getByText("stopped", { exact: true }).waitFor();
  const answers = `/rest/v1/messages?swarm_id=eq.${swarmId}&sender_type=eq.agent&select=content,finish_reason`;
  let kept: { content: string; finish_reason: string } | undefined;
  await waitUntil(async () => {
    [kept] = (await api.call("GET", answers)) as { content: string; finish_reason: string }[];
    return kept?.finish_reason === "cancelled";
  });
  assert.match(kept?.content ?? "", /^\[simulated\] /);
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

test("a stream continues after the last received event when the connection was lost", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId } = await createSwarm(api, ["Ada"]);
  const attached: unknown[] = [];
  // The page learns of the run only through its stream.
  await page.routeWebSocket(/realtime/, () => {});
  await page.route("**/rest/v1/runs?*", (route) => route.fulfill({ json: [] }));
  await page.route("**/functions/v1/agent-respond", async (route) => {
    const body: unknown = route.request().postDataJSON();
    if (!isRecord(body) || body["action"] !== undefined) {
      attached.push(body);
      return route.fallback();
    }
    // Simulates a connection that breaks after twelve events.
    const response = await route.fetch();
    const heard = (await response.text())
      .split("\n\n")
      .filter((block) => block.includes("id:"))
      .slice(0, 12);
    return route.fulfill({ response, body: `${heard.join("\n\n")}\n\n` });
  });
  await page.goto(`/swarms/${swarmId}`);
  await sendMessage(page, "Say this back: one two three");
  const answer = page.getByRole("article", { name: "Ada" });
  await answer.getByText(/one two three"\. .*\(/).waitFor();
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  const [run] = (await api.call("GET", `/rest/v1/runs?swarm_id=eq.${swarmId}&select=id`)) as { id: string }[];
  assert.deepEqual(attached, [{ action: "attach", run_id: run?.id, last_event_id: 12 }]);
  assert.equal(await answer.count(), 1);
});

test("a failed turn shows its error in the conversation and in the trace", async (t, { openPage, instance }) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId } = await createSwarm(api, ["Ada", "Max"]);
  await page.goto(`/swarms/${swarmId}`);
  await sendMessage(page, "Hello both\n/fail refusal Max");
  await page.getByRole("link", { name: "View run" }).waitFor();
  await page.getByRole("article").getByText("[simulated]").waitFor();
  await takeScreenshot(page, "room-failed");
  await scanWithAxe(page);
  await page.getByRole("link", { name: "View run" }).click();
  await page.getByRole("heading", { name: "Trace", exact: true }).waitFor();
  await takeScreenshot(page, "run-failed");
  await scanWithAxe(page);
});

test("failed and cancelled runs stay visible in the conversation, with a button to ask again", async (t, environment) => {
  const page = await environment.openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, environment.instance);
  const { swarmId, agentIds } = await createSwarm(api, ["Ada", "Max"]);
  // Started over the API, so the page is not attached to it.
  const asked = { swarm_id: swarmId, message: "Only Max\n/fail refusal", agent_ids: agentIds.slice(1) };
  await assert.rejects(api.call("POST", "/functions/v1/agent-respond", asked), /PROVIDER_ERROR/);
  await page.goto(`/swarms/${swarmId}`);
  const failed = "The content filter of the provider blocked the answer. Max: the provider declined to answer.";
  const stopped = "A user cancelled the run. Messages so far are kept.";
  await page.getByText(failed).waitFor();
  await sendMessage(page, `Say this back: ${"a ".repeat(400)}`);
  await page
    .getByRole("article")
    .getByText(/\[simulated\] .* wrote/)
    .waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText(stopped).waitFor();
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  await api.call("POST", "/rest/v1/messages", { swarm_id: swarmId, content: "Said afterwards" });
  await page.getByText("Said afterwards").waitFor();

  const wanted = ["Only Max", failed, "Say this back", "[simulated]", stopped, "Said afterwards"];
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
    (await first.getByRole("link", { name: "View run" }).getAttribute("href")) ?? "",
    /\/runs\/[0-9a-f-]{36}$/,
  );
  await first.getByRole("button", { name: "Ask again" }).click();
  await waitUntil(async () => {
    const path = `/rest/v1/runs?swarm_id=eq.${swarmId}&order=id.desc&limit=1&select=status,stop_reason,request,messages!runs_message_id_fkey(content)`;
    const [run] = (await api.call("GET", path)) as Record<string, unknown>[];
    const wantedRun = {
      status: "failed",
      stop_reason: "content_filtered",
      request: { source: "agent_respond", agent_ids: asked.agent_ids },
      messages: { content: asked.message },
    };
    return isDeepStrictEqual(run, wantedRun);
  });
  await page.getByText("The content filter of the provider blocked the answer.").nth(1).waitFor();
  await page.reload();
  await page.getByText(failed).nth(1).waitFor();
});

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
