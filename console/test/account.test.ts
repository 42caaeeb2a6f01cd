import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createAskingServer } from "../../server/test/support/asking-mcp-server.ts";
import { createOAuthServer } from "../../server/test/support/oauth-mcp-server.ts";
import { getApiClient } from "./support/api-client.ts";
import { checkAppearance } from "./support/appearance.ts";
import { scanWithAxe } from "./support/axe.ts";
import { readClipboard } from "./support/clipboard.ts";
import { ageSessions } from "./support/age-sessions.ts";
import { computeCode } from "./support/factor.ts";
import { findCode } from "./support/mailbox.ts";
import { createSignedInUser, createPerson, HOME_TITLE, navigate, signIn } from "./support/people.ts";
import { takeScreenshot } from "./support/screenshots.ts";
import { NARROW, createBrowserTest } from "./support/browser-test.ts";
import { readSession } from "./support/browser-contexts.ts";

const test = createBrowserTest();

test("the account page changes name, e-mail address and password, shows errors at their fields, and downloads the data", async (t, {
  openPage,
}) => {
  const page = await openPage(t, { expected: [/400/, /422/] });
  const person = await createSignedInUser(page);
  await page.goto("/account");
  await page.getByLabel("Name").fill("Ada Lovelace");
  await page.getByRole("form", { name: "Profile" }).getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: /Ada Lovelace/ }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: /Grace Hopper/ }).waitFor();
  await scanWithAxe(page);
  await takeScreenshot(page, "account");

  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download your data" }).click();
  const saved = await saving;
  assert.match(saved.suggestedFilename(), /^account-export-.*\.json$/);
  const { user } = JSON.parse(await readFile(await saved.path(), "utf8")) as { user: { email: string } };
  assert.equal(user.email, person.email);

  const { email } = createPerson();
  await page.getByRole("textbox", { name: "E-mail" }).fill("no address");
  await page.getByRole("button", { name: "Change address" }).click();
  await page.getByRole("form", { name: "E-mail address" }).getByRole("alert").waitFor();
  await page.getByRole("textbox", { name: "E-mail" }).fill(email);
  await page.getByRole("button", { name: "Change address" }).click();
  await page.getByText("Your e-mail address is changed.").first().waitFor();

  await page.getByRole("tab", { name: "Sign-in" }).click();
  await page.waitForURL(/\/account\/security$/);
  await page.getByLabel("Current password", { exact: true }).fill("not this one");
  await page.getByLabel("New password", { exact: true }).fill("a-better-password");
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByRole("alert").waitFor();
  assert.equal(await page.getByLabel("Current password", { exact: true }).getAttribute("aria-invalid"), "true");
  await scanWithAxe(page);
  await page.getByLabel("Current password", { exact: true }).fill(person.password);
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("The password is changed.").first().waitFor();
  const again = await openPage(t);
  await again.goto("/sign-in");
  await signIn(again, { ...person, email, password: "a-better-password" });
  await again.getByRole("heading", { level: 1, name: HOME_TITLE }).waitFor();
});

test("the account page sets up a second factor with a QR code or a secret, and removes it after confirmation", async (t, {
  openPage,
}) => {
  const page = await openPage(t, { width: NARROW, theme: "dark", expected: [/422/] });
  await createSignedInUser(page);
  await page.goto("/account/security");
  await page.getByRole("button", { name: "Set up an app" }).click();
  await page.getByRole("img", { name: "QR code for the app" }).waitFor();
  const isDrawn = await page.getByRole("img", { name: "QR code for the app" }).evaluate(async (picture) => {
    if (!(picture instanceof HTMLImageElement)) return false;
    await picture.decode();
    return picture.naturalWidth > 0;
  });
  assert.ok(isDrawn, "the picture is drawn");
  await scanWithAxe(page);
  await takeScreenshot(page, "account-factor");
  await page.getByLabel("Code").fill("000000");
  await page.getByRole("button", { name: "Turn on" }).click();
  await page.getByRole("dialog").getByRole("alert").waitFor();
  await page.getByRole("button", { name: "Copy the secret" }).click();
  const secret = await readClipboard(page, /^[A-Z2-7]{16,}$/);
  await page.getByLabel("Code").fill(computeCode(secret, 0));
  await page.getByRole("button", { name: "Turn on" }).click();
  await page.getByRole("button", { name: "Create recovery codes" }).click();
  await page.getByRole("button", { name: "Copy the codes" }).click();
  await readClipboard(page, /^([2-9a-z]{16}\n){9}[2-9a-z]{16}$/);
  await scanWithAxe(page);
  await page.getByRole("button", { name: "I have stored them" }).click();
  await page.getByText("You have 10 unused recovery codes").waitFor();
  await page.getByRole("button", { name: "Remove Authenticator" }).click();
  await page.getByLabel(/to confirm/).fill("Authenticator");
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByRole("button", { name: "Set up an app" }).waitFor();
  await page.getByText("After the password it is required for everything else").waitFor();
});

test("the account page lists the sessions, and one session can end another", async (t, { openPage }) => {
  const page = await openPage(t, { theme: "dark" });
  const person = await createSignedInUser(page);
  const other = await openPage(t, { expected: [/40[0-9]/, /WebSocket/] });
  await other.goto("/account/sessions");
  await signIn(other, person);
  await other.getByText("This device").waitFor();
  await page.goto("/account/sessions");
  const button = page.getByRole("button", { name: /^Sign out Chrome/ });
  await button.waitFor();
  await scanWithAxe(page);
  await takeScreenshot(page, "account-sessions");
  await button.click();
  await page.getByText("is signed out").first().waitFor();
  await button.waitFor({ state: "detached" });
  await other.getByRole("tab", { name: "Profile" }).click();
  await other.getByText("Your session has ended").waitFor();
  await page.getByRole("button", { name: "Sign out everywhere" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
});

test("the account page creates an API key, shows it once, and revokes it", async (t, { openPage }) => {
  const page = await openPage(t, { width: NARROW });
  await createSignedInUser(page);
  await page.goto("/account/keys");
  await page.getByRole("button", { name: "Create API key" }).click();
  await page.getByLabel("Name").fill("deploy");
  await page.getByRole("checkbox", { name: /^Read/ }).click();
  await page.getByRole("checkbox", { name: /^Run/ }).click();
  await scanWithAxe(page);
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByText(/^sk_\w{49}$/).waitFor();
  await page.getByText("not used yet").waitFor();
  await scanWithAxe(page);
  await takeScreenshot(page, "account-keys");
  await page.reload();
  await page.getByRole("button", { name: "Revoke deploy" }).click();
  assert.equal(await page.getByText(/^sk_\w{49}$/).count(), 0);
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("You have no API keys.").waitFor();
});

test("the account page shows a new signing secret only once", async (t, { openPage }) => {
  const page = await openPage(t, { width: NARROW });
  await createSignedInUser(page);
  await page.goto("/account/signing");
  await page.getByRole("button", { name: "Create new secret" }).click();
  await page.getByRole("button", { name: "Create secret" }).click();
  await page.getByText(/^sbsig_/).waitFor();
  await scanWithAxe(page);
  await takeScreenshot(page, "account-signing");
  await page.reload();
  await page.getByRole("button", { name: "Create new secret" }).waitFor();
  assert.equal(await page.getByText(/^sbsig_/).count(), 0);
});

test("the account page deletes the account after its address is typed", async (t, { openPage, instance }) => {
  // The sign-out of a session that is gone with its account.
  const page = await openPage(t, { expected: [/401.*logout/] });
  const { email } = await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  await page.goto("/account");
  await page.getByRole("button", { name: "Delete your account …" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete your account" });
  await scanWithAxe(page);
  assert.ok(await dialog.getByRole("button", { name: "Delete everything" }).isDisabled());
  await dialog.getByRole("textbox").fill(email);
  await dialog.getByRole("button", { name: "Delete everything" }).click();
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  const left = await api.callAsService("GET", `/rest/v1/profiles?id=eq.${api.userId}`);
  assert.deepEqual(left, []);
});

test("the account page asks who is there when the sign-in is long ago, and then goes on", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t, { expected: [/400/, /403/, /422/, /401.*logout/] });
  const person = await createSignedInUser(page);
  const { userId } = await getApiClient(page, instance);
  const proof = page.getByRole("dialog", { name: "Confirm that it is you" });
  const makeKey = async (name: string) => {
    await ageSessions(instance, userId);
    await page.getByRole("button", { name: "Create API key" }).click();
    await page.getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Create key" }).click();
    await proof.waitFor();
  };
  await page.goto("/account/keys");
  await makeKey("deploy");
  await scanWithAxe(page);
  await proof.getByLabel("Your password", { exact: true }).fill("not this one");
  await proof.getByRole("button", { name: "Confirm" }).click();
  await proof.getByRole("alert").waitFor();
  await proof.getByLabel("Your password", { exact: true }).fill(person.password);
  await proof.getByRole("button", { name: "Confirm" }).click();
  await page.getByText(/^sk_\w{49}$/).waitFor();
  await page.getByRole("button", { name: "Revoke deploy" }).waitFor();

  await makeKey("declined");
  await proof.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Nothing was changed").waitFor();
  await page.getByRole("button", { name: "Create key" }).click();
  await proof.getByRole("button", { name: "Send me a code by mail instead" }).click();
  await proof.getByLabel("Code from the mail").fill(await findCode(instance, person.email));
  await proof.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("button", { name: "Revoke declined" }).waitFor();

  await ageSessions(instance, userId);
  await page.goto("/account/security");
  await page.getByRole("button", { name: "Set up an app" }).click();
  await proof.getByLabel("Your password", { exact: true }).fill(person.password);
  await proof.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("img", { name: "QR code for the app" }).waitFor();

  await ageSessions(instance, userId);
  await page.goto("/account");
  await page.getByRole("button", { name: "Delete your account …" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill(person.email);
  await page.getByRole("button", { name: "Delete everything" }).click();
  await proof.getByLabel("Your password", { exact: true }).fill(person.password);
  await proof.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
});

test("the API page shows URL, key and snippets without a token, and links to the reference only if it is served", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  await page.goto("/api?show=ask");
  await page
    .getByText(
      "These clients of Supabase were run against it, unmodified: supabase-js, @supabase/ssr, supabase-py, postgrest-py, supabase-go and the CLI's gen types. There is no file storage.",
    )
    .waitFor();
  await page.getByRole("button", { name: "Copy: Base URL" }).click();
  await readClipboard(page, instance.url);
  await page.getByRole("button", { name: "Copy: Anon key" }).click();
  await readClipboard(page, instance.anon_key);
  await page.getByRole("radio", { name: "curl" }).click();
  await page.getByText("Before the first call").click();
  await page.getByRole("group", { name: "Setup" }).waitFor();
  const text = await page.locator("body").innerText();
  const { access_token: token } = await readSession(page);
  assert.match(text, /Bearer \$ACCESS_TOKEN/);
  assert.ok(!text.includes(token), "the token is not shown");
  await scanWithAxe(page);
  await takeScreenshot(page, "api");
  for (const [name, path] of [
    [/API reference/, "/reference"],
    [/OpenAPI/, "/openapi.json"],
  ] as const) {
    assert.equal(await page.getByRole("link", { name }).getAttribute("href"), path);
    assert.equal((await page.request.get(`${instance.url}${path}`)).status(), 200);
  }

  await page.route("**/console.json", async (route) => {
    const response = await route.fetch();
    const { reference: _removed, ...config } = (await response.json()) as Record<string, unknown>;
    await route.fulfill({ response, json: config });
  });
  await page.reload();
  await page.getByRole("button", { name: "Copy: Base URL" }).waitFor();
  assert.equal(await page.getByRole("link", { name: /API reference|OpenAPI/ }).count(), 0);
});

test("the account page lists the connections of the user, and ends one after a confirmation", async (t, {
  openPage,
  instance,
}) => {
  const pem = await readFile(join(instance.dataDir, "tls/localhost.pem"));
  const { server } = createOAuthServer(createAskingServer, { credential: { key: pem, cert: pem } });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `https://localhost:${(server.address() as { port: number }).port}`;
  const page = await openPage(t);
  await createSignedInUser(page);
  await page.goto("/account/connections");
  await page.getByText("You have no connections.").waitFor();
  await navigate(page, "/tools/import");
  await page.getByLabel("Address").fill(`${origin}/mcp`);
  await page.getByLabel("Credentials").selectOption("Account of the person who asks");
  await page.getByRole("main").getByRole("button", { name: "Connect", exact: true }).click();
  await page.getByText("Granted: tools.").waitFor();
  assert.equal(await page.getByLabel("Credentials").inputValue(), "asker");

  await navigate(page, "/account/connections");
  const row = page.getByRole("listitem", { name: origin });
  await row.getByText("granted: tools").waitFor();
  await row.getByText(/^connected/).waitFor();
  await checkAppearance(page, "account-connections");
  await row.getByRole("button", { name: `Disconnect ${origin}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await row.getByRole("button", { name: `Disconnect ${origin}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
  await page.getByText("You have no connections.").waitFor();
});
