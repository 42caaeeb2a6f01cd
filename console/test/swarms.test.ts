import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { scanWithAxe } from "./support/axe.ts";
import { checkAppearance } from "./support/appearance.ts";
import { findLink, INVITATION } from "./support/mailbox.ts";
import { createSignedInUser, createPerson, openHome } from "./support/people.ts";
import { createSwarm, waitUntil, sendMessage } from "./support/swarms.ts";
import { takeScreenshot } from "./support/screenshots.ts";
import { getApiClient } from "./support/api-client.ts";
import { NARROW, WIDE, createBrowserTest } from "./support/browser-test.ts";
import { waitForValue } from "./support/wait-for-value.ts";
import { longPress } from "./support/keys.ts";

const test = createBrowserTest();

test("a new swarm answers a question and streams the replies", async (t, { openPage, instance }) => {
  const page = await openPage(t, { expected: [/400/] });
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  await api.call("POST", "/rest/v1/agents", [{ name: "Ada" }, { name: "Lin Wu" }]);
  await page.goto("/swarms");
  await page.getByRole("heading", { name: "No swarms yet" }).waitFor();
  await takeScreenshot(page, "swarms-empty");
  await scanWithAxe(page);
  await page.keyboard.press("n");

  await page.getByRole("checkbox", { name: "Lin Wu" }).click();
  await page.getByRole("checkbox", { name: "Ada" }).click();
  await page.getByText("speaks 2nd").waitFor();
  await page.getByRole("radio", { name: "Coordinator asks" }).click();
  await page.getByLabel("Coordinator", { exact: true }).selectOption({ label: "Ada" });
  await page.getByRole("radio", { name: "In turn" }).click();
  await page.getByText("Budgets and limits").click();
  await page.getByLabel("Turns in a run").fill("900");
  await page.getByRole("button", { name: "Create swarm" }).click();
  await page.getByText("must be between 1 and 50").waitFor();
  await page.getByText("must have 1 to 100 characters").waitFor();
  await checkAppearance(page, "swarm-refused");
  await page.getByLabel("Name", { exact: true }).fill("Beehive launch");
  await page.getByLabel("Turns in a run").fill("4");
  await page.getByRole("button", { name: "Create swarm" }).click();

  await page.getByRole("heading", { level: 1, name: "Beehive launch" }).waitFor();
  await page.getByRole("heading", { name: "Start the conversation" }).waitFor();
  await takeScreenshot(page, "room-empty");
  await scanWithAxe(page);
  const field = page.getByRole("textbox", { name: "Message", exact: true });
  const suggestion = page.getByRole("button", { name: "Introduce yourselves" });
  assert.equal(await clickAndSelect(suggestion, field), "Introduce", "the caret is left alone from then on");
  await field.fill("Hello @l");
  await page.getByRole("option", { name: "Lin Wu" }).waitFor();
  await takeScreenshot(page, "room-mention");
  await scanWithAxe(page);
  await field.press("Enter");
  await waitForValue(field, "Hello @Lin Wu ");
  await page.reload();
  // The draft is kept.
  await waitForValue(field, "Hello @Lin Wu ");
  await field.press("End");
  await field.pressSequentially("who are you?");
  await field.press("Shift+Enter");
  await field.pressSequentially("/sleep 4000");
  await field.press("Enter");
  await page.getByText("Lin Wu is thinking").waitFor();
  await takeScreenshot(page, "room-thinking");
  await scanWithAxe(page);
  await page
    .getByRole("article")
    .getByText(/^\[simulated\] Hello .* I am Lin Wu/)
    .waitFor();
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  await checkAppearance(page, "room");
  await page.getByRole("button", { name: "Reply to Lin Wu" }).click();
  await field.fill("Thank you, that is all.");
  await field.press("Alt+Enter");
  await page.getByRole("button", { name: "In reply to" }).waitFor();
  const count = async () => ((await api.call("GET", "/rest/v1/messages?select=seq")) as unknown[]).length;
  await waitUntil(async () => (await count()) >= 3);
  assert.equal(await count(), 3, "said, and not answered");
});

test("two members see each other's messages, presence and changes in a swarm", async (t, { openPage, instance }) => {
  const page = await openPage(t);
  const expected = [/404 .*\/invitations/];
  const other = await openPage(t, { width: NARROW, theme: "dark", expected });
  const bob = createPerson("Bob Stone");
  await createSignedInUser(page);
  await createSignedInUser(other, bob);
  const api = await getApiClient(page, instance);
  const { swarmId, agentIds } = await createSwarm(api, ["Ada"]);
  await page.goto(`/swarms/${swarmId}`);
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByLabel("E-mail or user id").fill(bob.email);
  await takeScreenshot(page, "room-invite");
  await scanWithAxe(page);
  await page.getByRole("dialog").getByRole("button", { name: "Invite" }).click();
  await page.getByRole("heading", { name: `${bob.email} is invited` }).waitFor();
  await page.getByText("No mail server is configured, so the mail is written to a file").waitFor();
  await takeScreenshot(page, "room-invited");
  await scanWithAxe(page);
  const replaced = await page.locator("[data-secret]").innerText();
  await page.getByRole("button", { name: "Copy the link" }).waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  assert.equal(await page.locator("[data-secret]").count(), 0);
  await page.getByRole("button", { name: `More about ${bob.email}` }).click();
  await page.getByRole("menuitem", { name: "Create new link" }).click();
  await page.getByRole("heading", { name: `A new link for ${bob.email}` }).waitFor();
  await scanWithAxe(page);
  const link = await page.locator("[data-secret]").innerText();
  await page.getByRole("button", { name: "Done" }).click();

  await other.goto(replaced);
  await other.getByRole("heading", { name: "No open invitation" }).waitFor();
  await other.goto("/swarms");
  await other.goto(link);
  await other.getByText("Grace Hopper invites you to Beehive launch as member").waitFor();
  await takeScreenshot(other, "swarms-invited");
  await scanWithAxe(other);
  await other.getByRole("button", { name: "Accept" }).click();
  await other.getByRole("heading", { level: 1, name: "Beehive launch" }).waitFor();
  await page.getByLabel("Online: you, Bob Stone").waitFor();
  await other.getByRole("radio", { name: "No reply" }).click();
  await sendMessage(other, "I am here. Is this **true**?");
  await page.getByText("I am here.").first().waitFor();
  assert.equal(await other.getByRole("menuitem", { name: "Pause" }).count(), 0);

  await page.getByRole("button", { name: "More about the message of Bob Stone" }).click();
  await page.getByRole("menuitem", { name: "Flag" }).click();
  await page.getByLabel("Reason").fill("Who says so?");
  await page.getByRole("button", { name: "Flag", exact: true }).click();
  await page.getByRole("button", { name: "Dismiss", exact: true }).first().waitFor();
  await takeScreenshot(page, "room-flagged");
  await scanWithAxe(page);
  await page.getByRole("complementary").getByRole("button", { name: "Dismiss" }).click();
  await page.getByRole("heading", { name: "Flagged" }).waitFor({ state: "detached" });

  await longPress(other.getByText("I am here."));
  await other.getByRole("menuitem", { name: "Edit" }).tap();
  await other.getByLabel("Edit message").fill("I am here, and it is true.");
  await other.getByRole("button", { name: "Save" }).tap();
  await page.getByRole("button", { name: "edited" }).click();
  await page.getByText("Version 1").waitFor();
  await scanWithAxe(page);
  await page.keyboard.press("Escape");

  await longPress(other.getByText("I am here, and it is true."));
  await other.getByRole("menuitem", { name: "Delete" }).tap();
  await other.getByText("This message was deleted").waitFor();
  await other.getByRole("button", { name: "Undo" }).tap();
  await other.getByText("it is true").waitFor();

  await page.getByRole("button", { name: "More about Bob Stone" }).click();
  await page.getByRole("menuitem", { name: "Make viewer" }).click();
  await page.getByText("Bob Stone is viewer now").first().waitFor();
  await other.reload();
  await other.getByText("You are a viewer").waitFor();
  await takeScreenshot(other, "room-viewer");
  await scanWithAxe(other);

  // The agent belongs to the other member.
  await other.setViewportSize({ width: WIDE, height: 900 });
  const agents = other.getByRole("complementary");
  await agents.getByText("Idle").waitFor();
  await api.call("PATCH", `/rest/v1/agents?id=eq.${agentIds[0]}`, { status: "thinking" });
  await agents.getByText("Thinking").waitFor();
});

test("a conversation with thousands of messages opens at its end, and a link opens an old message", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId } = await createSwarm(api, ["Ada"]);
  const rows = Array.from({ length: 2_500 }, (_, at) => ({ swarm_id: swarmId, content: `Message number ${at + 1}` }));
  await api.call("POST", "/rest/v1/messages?select=seq", rows);
  await page.goto(`/swarms/${swarmId}`);
  await page.getByText("Message number 2500", { exact: true }).waitFor();
  await page.getByRole("region", { name: "Messages" }).hover();
  await waitUntil(async () => {
    await page.mouse.wheel(0, -4_000);
    const [, first = ""] = /number (\d+)/.exec(await page.getByRole("article").first().innerText()) ?? [];
    return Number(first) <= 2_430;
  });
  await page.getByRole("button", { name: "Newest messages" }).waitFor();
  await api.call("POST", "/rest/v1/messages", { swarm_id: swarmId, content: "And one more" });
  await page.getByRole("button", { name: "1 new message" }).waitFor();
  await takeScreenshot(page, "room-new-messages");
  await scanWithAxe(page);
  await page.getByRole("button", { name: "1 new message" }).click();
  await page.getByText("And one more", { exact: true }).waitFor();

  const [first] = (await api.call("GET", "/rest/v1/messages?select=id&order=seq&limit=1")) as { id: string }[];
  await page.goto(`/swarms/${swarmId}?message=${first?.id ?? ""}`);
  await page.getByText("Message number 1", { exact: true }).waitFor();
  const shown = await page.getByRole("article").count();
  assert.ok(shown < 60, `${shown} messages are rendered`);
});

test("a rejected message shows the reason and stays in the field", async (t, { openPage, instance }) => {
  const page = await openPage(t, { expected: [/409/, /429/, /400/] });
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId } = await createSwarm(api, ["Ada"], {
    settings: { on_conflict: "reject", moderation: { enabled: true, blocklist: ["buy now"], action: "block" } },
  });
  const field = page.getByRole("textbox", { name: "Message", exact: true });
  await page.goto(`/swarms/${swarmId}`);
  await sendMessage(page, "First\n/sleep 20000");
  await page.getByText("Ada is thinking").waitFor();
  await sendMessage(page, "Second");
  await page.getByText("A run is in progress, and this swarm rejects").waitFor();
  await waitForValue(field, "Second");
  await takeScreenshot(page, "room-busy");
  await scanWithAxe(page);
  await page.getByRole("button", { name: "Interrupt the run" }).click();
  await page.getByText("A newer question interrupted the run").waitFor();
  await page.getByRole("article").getByText('"Second"').waitFor();
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });

  await sendMessage(page, "You should buy now");
  await page.getByText("a term from the blocklist").waitFor();
  await page.route("**/functions/v1/agent-respond", (route) =>
    route.fulfill({
      status: 429,
      headers: { "retry-after": "9" },
      json: { code: "RATE_LIMITED", message: "Slow down" },
    }),
  );
  await sendMessage(page, "Quickly");
  await page.getByText("Too many questions").waitFor();
  await page.unroute("**/functions/v1/agent-respond");
  await page.getByRole("button", { name: "More about this swarm" }).click();
  await page.getByRole("menuitem", { name: "Pause" }).click();
  await page.getByText("The swarm is paused:").waitFor();
  await takeScreenshot(page, "room-paused");
  await scanWithAxe(page);
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByText("The swarm is active now").first().waitFor();
  await api.call("PATCH", `/rest/v1/swarms?id=eq.${swarmId}`, { status: "archived" });
  await page.getByText("The swarm is archived:").waitFor();
});

test("an invitation appears live on Home and in the navigation, and its mail links to it", async (t, environment) => {
  const { openPage, instance } = environment;
  const page = await openPage(t);
  const dora = createPerson("Dora Lane");
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId } = await createSwarm(api, ["Ada"], { name: "Release crew" });
  const invite = (whom: object, role = "member") =>
    api.call("POST", "/rest/v1/swarm_members", { swarm_id: swarmId, role, ...whom });
  const expected = [/404 .*\/invitations/];
  const known = await openPage(t, { width: NARROW, theme: "dark", expected });
  const carl = await createSignedInUser(known, createPerson("Carl Moss"));
  await openHome(known);
  const [profile] = (await (await getApiClient(known, instance)).call("GET", "/rest/v1/profiles?select=id")) as {
    id: string;
  }[];
  await invite({ user_id: profile?.id }, "viewer");
  await known.getByText("Grace Hopper invites you to Release crew as viewer").waitFor();
  await known.getByRole("link", { name: "1 invitation" }).waitFor();
  await checkAppearance(known, "home-invited");
  await known.getByRole("button", { name: "Decline the invitation to Release crew" }).click();
  await known.getByText("Declined the invitation").first().waitFor();
  await known.getByRole("link", { name: "1 invitation" }).waitFor({ state: "detached" });
  assert.deepEqual(await api.call("GET", `/rest/v1/swarm_members?swarm_id=eq.${swarmId}&status=eq.invited`), []);

  // Dora has no account yet.
  await invite({ email: dora.email });
  const link = await findLink(instance, dora.email, INVITATION);
  assert.equal(link.split("#secret=")[0], `${instance.url}/invitations/${swarmId}`);
  await known.goto(link);
  await known.getByRole("heading", { name: "No open invitation" }).waitFor();
  await known.getByText(`You are signed in as ${carl.email}.`).waitFor();
  await checkAppearance(known, "invitation-none");
  const newcomer = await openPage(t, { expected });
  await newcomer.goto(link);
  await newcomer.getByRole("link", { name: "Create account" }).click();
  await newcomer.getByLabel("Name").fill(dora.name);
  await newcomer.getByLabel("E-mail").fill(dora.email);
  await newcomer.getByLabel("Password", { exact: true }).fill(dora.password);
  await newcomer.getByRole("button", { name: "Create account" }).click();
  await newcomer.getByText("Grace Hopper invites you to Release crew as member").waitFor();
  assert.equal(newcomer.url(), link);
  await checkAppearance(newcomer, "invitation");
  await newcomer.getByRole("button", { name: "Accept the invitation to Release crew" }).click();
  await newcomer.getByRole("heading", { level: 1, name: "Release crew" }).waitFor();
});

test("a swarm's agents are ordered, disabled and removed, its settings saved, and the swarm deleted after confirmation", async (t, environment) => {
  const { openPage, instance } = environment;
  const page = await openPage(t, { expected: [/400/] });
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId } = await createSwarm(api, ["Ada", "Max", "Lin"]);
  const order = async () => {
    const path = `/rest/v1/swarm_agents?swarm_id=eq.${swarmId}&order=position&select=enabled,agent_cards(name)`;
    const rows = (await api.call("GET", path)) as { enabled: boolean; agent_cards: { name: string } }[];
    return rows.map(({ enabled, agent_cards: { name } }) => (enabled ? name : `(${name})`)).join();
  };
  await page.goto(`/swarms/${swarmId}`);
  await page.getByRole("button", { name: "Order of Lin" }).press("ArrowUp");
  await page.getByText("Lin now speaks at position 2 of 3.").waitFor();
  await waitUntil(async () => (await order()) === "Ada,Lin,Max");
  const ada = page.getByRole("listitem").filter({ hasText: "Is Ada" });
  await ada.dragTo(page.getByRole("listitem").filter({ hasText: "Is Max" }));
  await waitUntil(async () => (await order()) === "Lin,Max,Ada");
  await page.getByRole("button", { name: "More about Max" }).click();
  await page.getByRole("menuitem", { name: "Disable" }).click();
  await page.getByText("Disabled").waitFor();
  await page.getByRole("button", { name: "More about Lin" }).click();
  await page.getByRole("menuitem", { name: "Remove from swarm" }).click();
  await page.getByText("Lin is removed").first().waitFor();
  await waitUntil(async () => (await order()) === "(Max),Ada");
  await page.getByRole("button", { name: "Undo" }).click();
  await waitUntil(async () => (await order()) === "Lin,(Max),Ada");

  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByLabel("Tokens in a run").fill("-4");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("must be at least 0").waitFor();
  await checkAppearance(page, "swarm-settings");
  await page.getByLabel("Tokens in a run").fill("40000");
  await page.getByLabel("Answer everything").click();
  await page.getByLabel("Own preamble").click();
  const preamble = page.getByLabel("Preamble", { exact: true });
  await page.getByText(/^Placeholders: \{agent_name\}, .*\{participants\}/).waitFor();
  await preamble.fill("Meet {participants}.");
  await page.getByLabel("Check messages").click();
  await page.getByLabel("Terms", { exact: true }).fill("buy now\nfree");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").first().waitFor();
  const [swarm] = (await api.call("GET", `/rest/v1/swarms?id=eq.${swarmId}&select=settings`)) as unknown[];
  assert.deepEqual(swarm, {
    settings: {
      budget: { max_tokens: 40_000 },
      auto_respond: true,
      on_conflict: "enqueue",
      on_agent_error: "continue",
      preamble: "Meet {participants}.",
      moderation: { action: "flag", enabled: true, blocklist: ["buy now", "free"] },
    },
  });
  await page.getByLabel("Own preamble").click();
  await preamble.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Save" }).click();
  await waitUntil(async () => {
    const path = `/rest/v1/swarms?id=eq.${swarmId}&settings->preamble=is.null&select=id`;
    return ((await api.call("GET", path)) as unknown[]).length === 1;
  });
  await page.getByRole("button", { name: "Delete …" }).click();
  await page.getByLabel("Type “Beehive launch” to confirm").fill("Beehive launch");
  await takeScreenshot(page, "swarm-delete");
  await scanWithAxe(page);
  await page.getByRole("button", { name: "Delete the swarm" }).click();
  await page.getByRole("heading", { name: "No swarms yet" }).waitFor();
  await page.goto(`/swarms/${swarmId}`);
  await page.getByRole("heading", { level: 1, name: "No such swarm" }).waitFor();
  await takeScreenshot(page, "swarm-none");
  await scanWithAxe(page);
});

/** Clicks the button, selects the first word at once, and returns the selection two frames later. */
async function clickAndSelect(button: Locator, field: Locator): Promise<string> {
  const [pressed, written] = [await button.elementHandle(), await field.elementHandle()];
  return button.page().evaluate(
    async ([press, write]) => {
      const [control, area] = [press as HTMLElement, write as HTMLTextAreaElement];
      control.click();
      area.setSelectionRange(0, "Introduce".length);
      for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
      return area.value.slice(area.selectionStart, area.selectionEnd);
    },
    [pressed, written],
  );
}
