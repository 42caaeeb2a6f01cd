import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { scanWithAxe } from "./support/axe.ts";
import { enrolFactor } from "./support/factor.ts";
import { pressTwo } from "./support/keys.ts";
import { findLink } from "./support/mailbox.ts";
import { comeIn, inventPerson, openHome, signIn, signUp } from "./support/people.ts";
import { keepScreenshot } from "./support/screenshots.ts";
import { NARROW, setStage, WIDE } from "./support/stage.ts";
import { readSession } from "./support/visitors.ts";

const test = setStage();
// As everywhere: colours do not depend on the width, nor names on the theme.
const LOOKS = [
  { width: WIDE, theme: "light" },
  { width: NARROW, theme: "dark" },
] as const;

test("the ways in, in both themes and widths", async (t, { openPage }) => {
  for (const look of LOOKS) {
    const page = await openPage(t, look);
    await page.goto("/");
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await scanWithAxe(page);
    await keepScreenshot(page, "sign-in");
    await page.getByRole("link", { name: "Make an account" }).click();
    await page.getByRole("heading", { level: 1, name: "Make an account" }).waitFor();
    await scanWithAxe(page);
    await keepScreenshot(page, "sign-up");
  }
});

test("home and the shell, in both themes and widths", async (t, { openPage }) => {
  for (const look of LOOKS) {
    const page = await openPage(t, look);
    await signUp(page);
    await page.getByText("0 of 7").waitFor();
    await scanWithAxe(page);
    await keepScreenshot(page, "home");
    assert.equal(await page.title(), "Welcome, Grace · Swarmbase");
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= look.width, `the page is ${width} wide`);
  }
});

test("what is wrong stands at its field", async (t, { openPage }) => {
  const page = await openPage(t, { expected: [/400|422/] });
  const person = inventPerson();
  await page.goto("/sign-up");
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill("short");
  await page.getByRole("button", { name: "Make an account" }).click();
  const field = page.getByLabel("Password", { exact: true });
  await page.getByRole("alert").waitFor();
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  const described = await field.evaluate((input) =>
    (input.getAttribute("aria-describedby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent),
  );
  assert.match(described.join(" "), /should be at least 6 characters/);
  await keepScreenshot(page, "sign-up-refused");
  await scanWithAxe(page);
});

test("somebody who comes from a link to a page gets there after signing in", async (t, { openPage }) => {
  const person = await comeIn(await openPage(t));
  const page = await openPage(t, { expected: [/400/] });
  await page.goto("/usage?days=7");
  await signIn(page, { ...person, password: "not-the-one" });
  await page.getByText("Invalid login credentials").waitFor();
  await signIn(page, person);
  await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
  assert.match(page.url(), /\/usage\?days=7$/);
});

test("a link by mail signs in, once, and leaves nothing in the address", async (t, { openPage, instance }) => {
  const person = await comeIn(await openPage(t));
  const page = await openPage(t, { expected: [/40[0-9]/] });
  await page.goto("/magic-link");
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByRole("button", { name: "Send the mail" }).click();
  await page.getByRole("heading", { name: "Look into your mailbox" }).waitFor();
  await keepScreenshot(page, "magic-link-sent");
  await scanWithAxe(page);
  const link = await findLink(instance, person.email);
  await page.goto(link);
  await page.getByRole("heading", { level: 1, name: "Welcome" }).waitFor();
  await page.waitForURL(({ search, hash }) => search + hash === "");
  const other = await openPage(t, { expected: [/40[0-9]/] });
  await other.goto(link);
  await other.getByRole("heading", { name: "This link does not work" }).waitFor();
  await other.waitForURL(({ search, hash }) => search + hash === "");
});

test("a forgotten password is set anew", async (t, { openPage, instance }) => {
  const person = await comeIn(await openPage(t));
  const page = await openPage(t);
  await page.goto("/recover");
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByRole("button", { name: "Send the link" }).click();
  await page.getByRole("heading", { name: "Look into your mailbox" }).waitFor();
  await page.goto(await findLink(instance, person.email));
  await page.getByRole("heading", { name: "Set a new password" }).waitFor();
  await keepScreenshot(page, "new-password");
  await scanWithAxe(page);
  await page.getByLabel("New password", { exact: true }).fill("a-better-password");
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByRole("heading", { level: 1, name: "Welcome" }).waitFor();
  const again = await openPage(t);
  await again.goto("/sign-in");
  await signIn(again, { ...person, password: "a-better-password" });
  await again.getByRole("heading", { level: 1, name: "Welcome" }).waitFor();
});

test("a session that has ended says so and leads back", async (t, { openPage, instance }) => {
  const page = await openPage(t, { expected: [/40[0-9]/, /WebSocket/] });
  const person = await comeIn(page);
  // A place that asks for nothing: it is the way home that notices, and home where it leads back to.
  await page.goto("/account/signing");
  await page.getByRole("button", { name: "Make a new secret" }).waitFor();
  const { user } = await readSession(page);
  const ended = await page.request.post(`${instance.url}/auth/v1/admin/users/${user.id}/logout`, {
    headers: { apikey: instance.service_role_key, authorization: `Bearer ${instance.service_role_key}` },
  });
  assert.ok(ended.ok(), await ended.text());
  await pressTwo(page, "g", "h");
  await page.getByText("Your session has ended").waitFor();
  await keepScreenshot(page, "session-ended");
  await scanWithAxe(page);
  await signIn(page, person);
  await page.getByRole("heading", { level: 1, name: "Welcome" }).waitFor();
});

test("an account that has to be confirmed waits for the mail", async (t, { openPage }) => {
  const page = await openPage(t);
  const person = inventPerson();
  // What the service answers where addresses have to be confirmed: a user and no session.
  await page.route("**/auth/v1/signup*", (route) =>
    route.fulfill({ json: { id: randomUUID(), aud: "authenticated", email: person.email, identities: [] } }),
  );
  await page.goto("/sign-up");
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill(person.password);
  await page.getByRole("button", { name: "Make an account" }).click();
  await page.getByRole("heading", { name: "Confirm your address" }).waitFor();
  await page.getByText(person.email).waitFor();
  await scanWithAxe(page);
});

test("a second factor is asked for at sign-in", async (t, { openPage, instance }) => {
  const before = await openPage(t, { expected: [/40[0-9]/, /WebSocket/] });
  const person = await comeIn(before);
  const factor = await enrolFactor(before, instance);
  const page = await openPage(t, { expected: [/4[0-9][0-9]/] });
  await page.goto("/agents");
  await signIn(page, person);
  await page.getByRole("heading", { name: "One more step" }).waitFor();
  await keepScreenshot(page, "second-factor");
  await scanWithAxe(page);
  await page.getByLabel("Code").fill("000000");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Code").fill(factor.nextCode());
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
});

test("the palette finds, the keys lead, the sheet lists them", async (t, { openPage }) => {
  const page = await openPage(t);
  await comeIn(page);
  await openHome(page);
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Where to").fill("webh");
  await keepScreenshot(page, "palette");
  await scanWithAxe(page);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor();
  await pressTwo(page, "g", "a");
  await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await keepScreenshot(page, "shortcuts");
  await scanWithAxe(page);
  await page.keyboard.press("Escape");
  await page.goto("/nowhere-at-all");
  await page.getByRole("heading", { level: 1, name: "Nothing is here" }).waitFor();
  await scanWithAxe(page);
});

test("a chosen theme holds against the system's, also after loading again", async (t, { openPage }) => {
  const page = await openPage(t, { theme: "light" });
  await comeIn(page);
  await openHome(page);
  await page.getByRole("button", { name: /Grace Hopper/ }).click();
  await keepScreenshot(page, "account-menu");
  await page.getByRole("menuitem", { name: "Dark theme" }).click();
  await page.reload();
  const scheme = await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  assert.equal(scheme, "dark");
});

test("one click sets up two agents and a swarm, and the list ticks itself off", async (t, { openPage }) => {
  const page = await openPage(t);
  await comeIn(page);
  await openHome(page);
  await page.getByRole("button", { name: "Set it up for me" }).click();
  await page.waitForURL(/\/swarms\/[0-9a-f-]{36}$/);
  await page.goto("/");
  await page.getByText("5 of 7").waitFor();
  await keepScreenshot(page, "home-set-up");
  await scanWithAxe(page);
});

test("on a narrow screen everything is reached from the bar", async (t, { openPage }) => {
  const page = await openPage(t, { width: NARROW });
  await comeIn(page);
  await openHome(page);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("dialog").getByRole("link", { name: "Usage" }).waitFor();
  await keepScreenshot(page, "more");
  await scanWithAxe(page);
  await page.getByRole("dialog").getByRole("link", { name: "Usage" }).click();
  await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
});

test("nothing depends on how the screen is held", async (t, { openPage }) => {
  const page = await openPage(t);
  await page.goto("/sign-in");
  await page.getByLabel("E-mail").waitFor();
  const styles = await page.evaluate(() =>
    [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map(({ cssText }) => cssText)).join("\n"),
  );
  assert.match(styles, /min-width|width >=/);
  assert.doesNotMatch(styles, /orientation:/);
});
