import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { getApiClient } from "./support/api-client.ts";
import { scanWithAxe } from "./support/axe.ts";
import { enrolFactor } from "./support/factor.ts";
import { pressSequence } from "./support/keys.ts";
import { findLink } from "./support/mailbox.ts";
import { measureTransfer } from "./support/measure-transfer.ts";
import { createSignedInUser, createPerson, HOME_TITLE, openHome, signIn, signUp } from "./support/people.ts";
import { takeScreenshot } from "./support/screenshots.ts";
import { createSwarm } from "./support/swarms.ts";
import { NARROW, createBrowserTest, WIDE } from "./support/browser-test.ts";
import { readSession } from "./support/browser-contexts.ts";

const test = createBrowserTest();
// Two variants are enough: colours do not depend on the width, and accessible names do not depend on the theme.
const VARIANTS = [
  { width: WIDE, theme: "light" },
  { width: NARROW, theme: "dark" },
] as const;

test("the entry pages are accessible in both themes and widths", async (t, { openPage }) => {
  await createSignedInUser(await openPage(t));
  for (const look of VARIANTS) {
    const page = await openPage(t, look);
    await page.goto("/");
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await scanWithAxe(page);
    await takeScreenshot(page, "sign-in");
    await page.getByRole("link", { name: "Create account" }).click();
    await page.getByRole("heading", { level: 1, name: "Create account" }).waitFor();
    await scanWithAxe(page);
    await takeScreenshot(page, "sign-up");
  }
});

test("the first load transfers at most 180 KiB, signed in or not", async (t, { openPage }) => {
  const page = await openPage(t);
  for (const title of ["Sign in", HOME_TITLE]) {
    if (title === HOME_TITLE) await createSignedInUser(page);
    const bytes = await measureTransfer(page, async () => {
      await page.goto("/");
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
    });
    t.diagnostic(`${title}: ${bytes} bytes`);
    assert.ok(bytes > 100_000 && bytes <= 180 * 1024, `${title}: ${bytes} bytes`);
  }
});

test("the styles of the first paint do not remain on the pages", async (t, { openPage }) => {
  const page = await openPage(t);
  await page.goto("/");
  const heading = page.getByRole("heading", { level: 1, name: "Sign in" });
  await heading.waitFor();
  const [shown, intended] = await heading.evaluate((element) => {
    const color = getComputedStyle(element).color;
    element.style.color = "var(--ink)";
    return [color, getComputedStyle(element).color];
  });
  assert.equal(shown, intended);
});

test("the first visitor of a new service is welcomed and makes an account", async (t, { openPage }) => {
  const page = await openPage(t);
  await page.route("**/console.json", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), first_start: true } });
  });
  await page.goto("/");
  await page.getByRole("heading", { level: 1, name: "Welcome to Swarmbase" }).waitFor();
  await scanWithAxe(page);
  await takeScreenshot(page, "first-start");
  const person = createPerson();
  await page.getByLabel("Name").fill(person.name);
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill(person.password);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { level: 1, name: HOME_TITLE }).waitFor();
  await page.getByRole("button", { name: "Grace Hopper" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
});

test("home and the shell are accessible in both themes and widths", async (t, { openPage }) => {
  for (const look of VARIANTS) {
    const page = await openPage(t, look);
    await signUp(page);
    await page.getByText("0 of 7").waitFor();
    await scanWithAxe(page);
    await takeScreenshot(page, "home");
    assert.equal(await page.title(), "Welcome, Grace · Swarmbase");
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= look.width, `the page is ${width} wide`);
  }
});

test("sign-up and sign-in show errors at their fields", async (t, { openPage }) => {
  const page = await openPage(t, { expected: [/400|422/] });
  const person = createPerson();
  await page.goto("/sign-up");
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill("short");
  await page.getByRole("button", { name: "Create account" }).click();
  const field = page.getByLabel("Password", { exact: true });
  await page.getByRole("alert").waitFor();
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  const described = await field.evaluate((input) =>
    (input.getAttribute("aria-describedby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent),
  );
  assert.match(described.join(" "), /should be at least 6 characters/);
  await takeScreenshot(page, "sign-up-refused");
  await scanWithAxe(page);
});

test("sign-in redirects to the page that was requested", async (t, { openPage }) => {
  const person = await createSignedInUser(await openPage(t));
  const page = await openPage(t, { expected: [/400/] });
  await page.goto("/usage?days=7");
  await signIn(page, { ...person, password: "not-the-one" });
  await page.getByText("Invalid login credentials").waitFor();
  await signIn(page, person);
  await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
  assert.match(page.url(), /\/usage\?days=7$/);
});

test("a magic link signs in once and removes its parameters from the URL", async (t, { openPage, instance }) => {
  const person = await createSignedInUser(await openPage(t));
  const page = await openPage(t, { expected: [/40[0-9]/] });
  await page.goto("/magic-link");
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByRole("button", { name: "Send e-mail" }).click();
  await page.getByRole("heading", { name: "Check your mailbox" }).waitFor();
  await takeScreenshot(page, "magic-link-sent");
  await scanWithAxe(page);
  const link = await findLink(instance, person.email);
  await page.goto(link);
  await page.getByRole("heading", { level: 1, name: HOME_TITLE }).waitFor();
  await page.waitForURL(({ search, hash }) => search + hash === "");
  const other = await openPage(t, { expected: [/40[0-9]/] });
  await other.goto(link);
  await other.getByRole("heading", { name: "This link does not work" }).waitFor();
  await other.waitForURL(({ search, hash }) => search + hash === "");
});

test("a recovery link sets a new password", async (t, { openPage, instance }) => {
  const person = await createSignedInUser(await openPage(t));
  const page = await openPage(t);
  await page.goto("/recover");
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByRole("button", { name: "Send link" }).click();
  await page.getByRole("heading", { name: "Check your mailbox" }).waitFor();
  await page.goto(await findLink(instance, person.email));
  await page.getByRole("heading", { name: "Set a new password" }).waitFor();
  await takeScreenshot(page, "new-password");
  await scanWithAxe(page);
  await page.getByLabel("New password", { exact: true }).fill("a-better-password");
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByRole("heading", { level: 1, name: HOME_TITLE }).waitFor();
  const again = await openPage(t);
  await again.goto("/sign-in");
  await signIn(again, { ...person, password: "a-better-password" });
  await again.getByRole("heading", { level: 1, name: HOME_TITLE }).waitFor();
});

test("an expired session shows a notice, and sign-in returns to the page", async (t, { openPage, instance }) => {
  const page = await openPage(t, { expected: [/40[0-9]/, /WebSocket/] });
  const person = await createSignedInUser(page);
  await page.goto("/account/signing");
  await page.getByRole("button", { name: "Create new secret" }).waitFor();
  const { user } = await readSession(page);
  const ended = await page.request.post(`${instance.url}/auth/v1/admin/users/${user.id}/logout`, {
    headers: { apikey: instance.service_role_key, authorization: `Bearer ${instance.service_role_key}` },
  });
  assert.ok(ended.ok(), await ended.text());
  await pressSequence(page, "g", "h");
  await page.getByText("Your session has ended").waitFor();
  await takeScreenshot(page, "session-ended");
  await scanWithAxe(page);
  // The closed socket or the request of the next page notices it first.
  const from = await page.evaluate(() => (history.state as { usr: { from: string } }).usr.from);
  assert.ok(["/", "/account/signing"].includes(from), from);
  await signIn(page, person);
  await page.waitForURL(({ pathname }) => pathname === from);
  await page.getByRole("navigation").first().waitFor();
});

test("sign-up shows a notice when the address must be confirmed", async (t, { openPage }) => {
  const page = await openPage(t);
  const person = createPerson();
  // The response of the service when addresses must be confirmed: a user without a session.
  await page.route("**/auth/v1/signup*", (route) =>
    route.fulfill({ json: { id: randomUUID(), aud: "authenticated", email: person.email, identities: [] } }),
  );
  await page.goto("/sign-up");
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill(person.password);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "Confirm your address" }).waitFor();
  await page.getByText(person.email).waitFor();
  await scanWithAxe(page);
});

test("sign-in requires the code of a second factor", async (t, { openPage, instance }) => {
  const before = await openPage(t, { expected: [/40[0-9]/, /WebSocket/] });
  const person = await createSignedInUser(before);
  const factor = await enrolFactor(before, instance);
  const page = await openPage(t, { expected: [/4[0-9][0-9]/] });
  await page.goto("/agents");
  await signIn(page, person);
  await page.getByRole("heading", { name: "One more step" }).waitFor();
  await takeScreenshot(page, "second-factor");
  await scanWithAxe(page);
  await page.getByLabel("Code").fill("000000");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await page.getByLabel("Recovery code").fill("none of them");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Factor not found").waitFor();
  await page.getByRole("button", { name: "Use the app" }).click();
  await page.getByLabel("Code").fill(factor.nextCode());
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
});

test("the palette finds commands, and keyboard shortcuts navigate and are listed", async (t, { openPage }) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  await openHome(page);
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Search everything").fill("webh");
  await takeScreenshot(page, "palette");
  await scanWithAxe(page);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
  await pressSequence(page, "g", "a");
  await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await takeScreenshot(page, "shortcuts");
  await scanWithAxe(page);
  await page.keyboard.press("Escape");
  await page.goto("/nowhere-at-all");
  await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
  await scanWithAxe(page);
});

test("the groups of the navigation collapse, and the one of the page is always open", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  const { swarmId } = await createSwarm(api, ["Ada"], { name: "Crew" });
  await openHome(page);
  const nav = page.getByRole("navigation", { name: "Main" }).filter({ visible: true });
  const heading = (name: string) => nav.getByRole("button", { name });
  const isOpen = async (name: string) => (await heading(name).getAttribute("aria-expanded")) === "true";
  for (const name of ["Build", "Observe", "Connect", "Account"]) assert.ok(await isOpen(name), name);
  await heading("Build").focus();
  await page.keyboard.press("Enter");
  await heading("Connect").press("Space");
  await nav.getByRole("link", { name: "Webhooks" }).waitFor({ state: "detached" });
  assert.equal(await nav.getByRole("link", { name: "Swarms" }).count(), 0);
  await page.reload();
  await nav.getByRole("link", { name: "Runs" }).waitFor();
  assert.deepEqual([await isOpen("Build"), await isOpen("Observe"), await isOpen("Connect")], [false, true, false]);
  await scanWithAxe(page);

  // The heading of a collapsed group has the counts of its items.
  const other = await openPage(t);
  await createSignedInUser(other);
  const [invited] = (await api.call("GET", "/rest/v1/profiles?select=id")) as { id: string }[];
  const inviting = await getApiClient(other, instance);
  const { swarmId: theirs } = await createSwarm(inviting, ["Max"], { name: "Guests" });
  await inviting.call("POST", "/rest/v1/swarm_members", { swarm_id: theirs, user_id: invited?.id, role: "member" });
  await nav.getByRole("button", { name: "Build 1 waiting" }).waitFor();

  await page.goto(`/swarms/${swarmId}`);
  await nav.getByRole("link", { name: "Swarms 1 invitation" }).and(page.locator("[aria-current=page]")).waitFor();
  await takeScreenshot(page, "navigation");
  assert.ok(await isOpen("Build"));
  assert.equal(await heading("Build").getAttribute("aria-disabled"), "true");
  await pressSequence(page, "g", "b");
  await nav.getByRole("link", { name: "Budgets" }).and(page.locator("[aria-current=page]")).waitFor();
  assert.equal(await isOpen("Build"), false);
});

test("a selected theme overrides the system theme, also after a reload", async (t, { openPage }) => {
  const page = await openPage(t, { theme: "light" });
  await createSignedInUser(page);
  await openHome(page);
  await page.getByRole("button", { name: /Grace Hopper/ }).click();
  await takeScreenshot(page, "account-menu");
  await page.getByRole("menuitem", { name: "Dark theme" }).click();
  await page.reload();
  const scheme = await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  assert.equal(scheme, "dark");
});

test("one click sets up two agents and a swarm, and completes the steps of the checklist", async (t, { openPage }) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  await openHome(page);
  await page.getByRole("button", { name: "Set it up for me" }).click();
  await page.waitForURL(/\/swarms\/[0-9a-f-]{36}$/);
  await page.goto("/");
  await page.getByText("5 of 7").waitFor();
  await takeScreenshot(page, "home-set-up");
  await scanWithAxe(page);
});

test("on a narrow screen the bottom bar reaches all pages", async (t, { openPage }) => {
  const page = await openPage(t, { width: NARROW });
  await createSignedInUser(page);
  await openHome(page);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("dialog").getByRole("link", { name: "Usage" }).waitFor();
  await takeScreenshot(page, "more");
  await scanWithAxe(page);
  await page.getByRole("dialog").getByRole("link", { name: "Usage" }).click();
  await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
});

test("the pages work in both screen orientations", async (t, { openPage }) => {
  const page = await openPage(t);
  await page.goto("/sign-in");
  await page.getByLabel("E-mail").waitFor();
  const styles = await page.evaluate(() =>
    [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map(({ cssText }) => cssText)).join("\n"),
  );
  assert.match(styles, /min-width|width >=/);
  assert.doesNotMatch(styles, /orientation:/);
});
