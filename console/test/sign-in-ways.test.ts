import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { findFreePort } from "../../server/test/support/free-port.ts";
import { ageSessions } from "./support/age-sessions.ts";
import { getApiClient } from "./support/api-client.ts";
import { checkAppearance } from "./support/appearance.ts";
import { addAuthenticator } from "./support/authenticator.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import { enrolFactor } from "./support/factor.ts";
import type { Instance } from "./support/instance.ts";
import { createPerson, createSignedInUser, HOME_TITLE, navigate, type Person, signIn } from "./support/people.ts";
import { takeScreenshot } from "./support/screenshots.ts";
import { CLIENT, startSignInProvider } from "./support/sign-in-provider.ts";

const port = await findFreePort();
const test = createBrowserTest({
  AUTH_ACME_ISSUER: `https://localhost:${port}`,
  AUTH_ACME_CLIENT_ID: CLIENT.client_id,
  AUTH_ACME_CLIENT_SECRET: CLIENT.client_secret,
  // A function that does not exist: the card of the hook shows its failures.
  AUTH_HOOK_PASSWORD_VERIFICATION_ATTEMPT_URI: "pg-functions://postgres/public/missing",
  AUTH_HOOK_PASSWORD_VERIFICATION_ATTEMPT_ON_FAILURE: "continue",
  EXTENSIONS: "operator",
  OPERATOR_ENABLED: "true",
});

/** The responses that a sign-in without an account, or a rejected call, shows in the console of the browser. */
const REJECTED = /40[0-9]|422|WebSocket/;

test("a visitor signs in at a provider and returns to the requested page", async (t, { openPage, instance }) => {
  const provider = await startSignInProvider(t, instance, port);
  await createSignedInUser(await openPage(t));
  const page = await openPage(t, { expected: [REJECTED] });
  await page.goto("/usage?days=7");
  const enter = page.getByRole("button", { name: "Continue with acme" });
  await enter.waitFor();
  await checkAppearance(page, "sign-in-ways");
  await enter.click();
  await page.getByText("You cancelled at the provider").waitFor();
  assert.equal(new URL(page.url()).search, "");
  // Anybody can write a link with a text of their own.
  await page.goto("/welcome?error=server_error&error_code=bad_oauth_callback&error_description=Call%20555-0100");
  await page.getByText("The provider could not sign you in.").waitFor();
  assert.equal(await page.getByText("555-0100").count(), 0);
  await page.goto("/usage?days=7");

  const { email } = createPerson();
  provider.person = email;
  await enter.click();
  await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
  assert.match(page.url(), /\/usage\?days=7$/);
  await navigate(page, "/account/security");
  await page.getByRole("listitem", { name: "acme", exact: true }).getByText(email).waitFor();
  await page.getByText("The last one cannot be disconnected").waitFor();
  assert.ok(await page.getByRole("button", { name: "Disconnect acme" }).isDisabled());
  await checkAppearance(page, "account-only-identity");
});

test("a user connects an account of a provider, signs in with it, and disconnects it", async (t, {
  openPage,
  instance,
}) => {
  const provider = await startSignInProvider(t, instance, port);
  const page = await openPage(t, { expected: [REJECTED] });
  const person = await createSignedInUser(page);
  const { userId } = await getApiClient(page, instance);
  provider.person = createPerson().email;
  await ageSessions(instance, userId);
  await page.goto("/account/security");
  await page.getByRole("button", { name: "Connect acme", exact: true }).click();
  const proof = page.getByRole("dialog", { name: "Confirm that it is you" });
  await proof.getByLabel("Your password", { exact: true }).fill(person.password);
  await proof.getByRole("button", { name: "Confirm" }).click();
  const row = page.getByRole("listitem", { name: "acme", exact: true });
  await row.getByText(provider.person).waitFor();
  assert.equal(new URL(page.url()).search, "");
  await checkAppearance(page, "account-identities");

  const other = await openPage(t, { expected: [REJECTED] });
  await createSignedInUser(other);
  await other.goto("/account/security");
  await other.getByRole("button", { name: "Connect acme", exact: true }).click();
  await other.getByText("connected to another user already").waitFor();
  assert.equal(await other.getByRole("listitem", { name: "acme", exact: true }).count(), 0);

  const again = await openPage(t);
  await again.goto("/sign-in");
  await again.getByRole("button", { name: "Continue with acme" }).click();
  await again.getByRole("heading", { level: 1, name: HOME_TITLE }).waitFor();
  assert.equal((await getApiClient(again, instance)).userId, userId);

  await page.getByRole("button", { name: "Disconnect acme" }).click();
  await page.getByRole("button", { name: "Connect acme", exact: true }).waitFor();
  assert.equal(await row.count(), 0);
});

test("a passkey is offered after a sign-in with a password, signs in, is renamed and removed", async (t, {
  openPage,
}) => {
  const person = await createSignedInUser(await openPage(t));
  const page = await openPage(t, { expected: [REJECTED] });
  await page.goto("/sign-in");
  await signIn(page, person);
  const offer = page.getByText("add a passkey.");
  await offer.waitFor();
  await checkAppearance(page, "passkey-offer");
  await addAuthenticator(page);
  await page.getByRole("button", { name: "Add passkey" }).click();
  await page.getByText("The passkey is added.").first().waitFor();
  await offer.waitFor({ state: "detached" });

  await signOut(page, person);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("heading", { level: 1, name: HOME_TITLE }).waitFor();
  assert.equal(await offer.count(), 0);
  await navigate(page, "/account/security");
  await page.getByRole("button", { name: /^Edit / }).click();
  const dialog = page.getByRole("dialog");
  await takeScreenshot(page, "account-passkey");
  await dialog.getByLabel("Name").fill("My phone");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("listitem", { name: "My phone" }).getByText(/used/).waitFor();
  await page.getByRole("button", { name: "Edit My phone" }).click();
  await dialog.getByRole("button", { name: "Remove passkey" }).click();
  await page.getByRole("listitem", { name: "My phone" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Add passkey" }).waitFor();

  await signOut(page, person);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
});

test("a declined passkey is not offered again", async (t, { openPage }) => {
  const person = await createSignedInUser(await openPage(t));
  const page = await openPage(t, { expected: [REJECTED] });
  await page.goto("/sign-in");
  await signIn(page, person);
  await page.getByRole("button", { name: "Not now" }).click();
  await page.getByText("add a passkey.").waitFor({ state: "detached" });
  await signOut(page, person);
  await signIn(page, person);
  await page.getByRole("heading", { level: 1, name: HOME_TITLE }).waitFor();
  // The page of the account asks for the same rows as the offer, so that it would be there by now.
  await navigate(page, "/account/security");
  await page.getByRole("button", { name: "Add passkey" }).waitFor();
  assert.equal(await page.getByText("add a passkey.").count(), 0);
});

test("the second step of a sign-in accepts a security key, and the account page removes it", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t, { expected: [REJECTED] });
  await addAuthenticator(page);
  const person = await createSignedInUser(page);
  await page.goto("/account/security");
  await enrolKey(page, instance, "Blue key");
  await page.evaluate(() => localStorage.clear());
  await page.goto("/agents");
  await signIn(page, person);
  await page.getByRole("heading", { name: "One more step" }).waitFor();
  await takeScreenshot(page, "second-factor-key");
  await page.getByRole("button", { name: "Continue with Blue key" }).click();
  await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
  await navigate(page, "/account/security");
  await page.getByRole("button", { name: "Remove Blue key" }).click();
  await page.getByLabel(/to confirm/).fill("Blue key");
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByRole("listitem", { name: "Blue key" }).waitFor({ state: "detached" });
});

test("an operator checks a provider and reads the failures of a hook", async (t, { openPage, instance }) => {
  const page = await openPage(t, { expected: [REJECTED] });
  const person = await createSignedInUser(page);
  const api = await getApiClient(page, instance);
  await api.callAsService("POST", "/operator/v1/operators", { user_id: api.userId });
  await enrolFactor(page, instance);
  // The hook is asked, and fails.
  const sent = { email: person.email, password: person.password };
  await api.callAsService("POST", "/auth/v1/token?grant_type=password", sent);
  await page.goto("/operator/services");
  const failures = page.getByRole("list", { name: "Failures of password_verification_attempt" });
  await failures.getByRole("listitem").first().waitFor();
  await page.getByText("the call goes on", { exact: true }).waitFor();
  await page.getByText(`${instance.url}/auth/v1/callback`, { exact: true }).waitFor();
  const check = page.getByRole("button", { name: "Check acme" });
  await check.click();
  await page.getByText("Does not work", { exact: true }).waitFor();
  await startSignInProvider(t, instance, port);
  await check.click();
  await page.getByText("Answers", { exact: true }).waitFor();
  await checkAppearance(page, "operator-sign-in");
  await navigate(page, "/operator/nodes");
  await page.getByText("Add backup to EXTENSIONS").waitFor();
});

async function signOut(page: Page, { name }: Person): Promise<void> {
  await page.getByRole("button", { name }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
}

/** Sets up a security key as an app does, and stores the new session. */
async function enrolKey(page: Page, instance: Instance, name: string): Promise<void> {
  const api = await getApiClient(page, instance);
  const factor = (await api.call("POST", "/auth/v1/factors", { factor_type: "webauthn", friendly_name: name })) as {
    id: string;
  };
  const rp = { rpId: "localhost", rpOrigins: [instance.url] };
  const path = `/auth/v1/factors/${factor.id}`;
  const challenge = (await api.call("POST", `${path}/challenge`, { webauthn: rp })) as {
    id: string;
    webauthn: { type: string; credential_options: { publicKey: PublicKeyCredentialCreationOptionsJSON } };
  };
  const { type, credential_options: options } = challenge.webauthn;
  const response = await page.evaluate(async (given) => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(given);
    const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
    return made.toJSON();
  }, options.publicKey);
  const webauthn = { ...rp, type, credential_response: response };
  await api.call("POST", `${path}/verify`, { challenge_id: challenge.id, webauthn });
}
