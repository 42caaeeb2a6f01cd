import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { checkAppearance } from "./support/appearance.ts";
import { readSession } from "./support/browser-contexts.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import { enrolFactor } from "./support/factor.ts";
import type { Instance } from "./support/instance.ts";
import { createPerson, createSignedInUser, navigate, signIn } from "./support/people.ts";

const test = createBrowserTest({ EXTENSIONS: "operator", OPERATOR_ENABLED: "true" });
const CALLBACK = "https://app.example.com/callback";

interface Registered {
  readonly client_id: string;
}

async function register(page: Page, instance: Instance, more: object = {}): Promise<Registered> {
  const answer = await page.request.post(`${instance.url}/auth/v1/admin/oauth/clients`, {
    headers: { apikey: instance.service_role_key, authorization: `Bearer ${instance.service_role_key}` },
    data: {
      client_name: "Notes",
      redirect_uris: ["http://127.0.0.1/callback", CALLBACK],
      token_endpoint_auth_method: "none",
      scope: "read write run offline_access",
      ...more,
    },
  });
  assert.equal(answer.status(), 201, await answer.text());
  return (await answer.json()) as Registered;
}

/** A program on this computer, which waits for the browser. */
async function startProgram(t: TestContext): Promise<{ readonly uri: string; readonly answers: URL[] }> {
  const answers: URL[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (url.pathname === "/callback") answers.push(url);
    response.writeHead(url.pathname === "/callback" ? 200 : 204, { "content-type": "text/html" });
    response.end(url.pathname === "/callback" ? "<!doctype html><title>Notes</title><h1>Connected</h1>" : "");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`, answers };
}

const verifier = randomBytes(32).toString("base64url");

function authorizePath(clientId: string, redirectUri: string, scope = "read run"): string {
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state: "of the program",
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
  return `/auth/v1/oauth/authorize?${query.toString()}`;
}

async function redeem(page: Page, instance: Instance, clientId: string, redirectUri: string, code: string) {
  const answer = await page.request.post(`${instance.url}/auth/v1/oauth/token`, {
    form: {
      grant_type: "authorization_code",
      client_id: clientId,
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
    },
  });
  assert.equal(answer.status(), 200, await answer.text());
  return (await answer.json()) as { access_token: string; scope: string };
}

test("a visitor signs up, lets a program on this computer in, sees it in the account, and disconnects it", async (t, {
  openPage,
  instance,
}) => {
  const page = await openPage(t);
  const { client_id: clientId } = await register(page, instance);
  const { uri, answers } = await startProgram(t);
  await createSignedInUser(await openPage(t));
  const person = createPerson();
  await page.goto(authorizePath(clientId, uri, "read write run"));
  await page.getByRole("link", { name: "Create account" }).click();
  await page.getByLabel("Name").fill(person.name);
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill(person.password);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { level: 1, name: "Let a program in?" }).waitFor();
  await page.getByText("an administrator of this service").waitFor();
  await page.getByText(`a program on this computer (${new URL(uri).host})`).waitFor();
  await page.getByText(person.email).waitFor();
  await page.getByRole("checkbox", { name: "Write" }).click();
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByRole("heading", { name: "Connected" }).waitFor();
  const [answer] = answers;
  assert.equal(answer?.searchParams.get("state"), "of the program");
  const token = await redeem(page, instance, clientId, uri, answer?.searchParams.get("code") ?? "");
  assert.equal(token.scope, "read run");
  const read = async () =>
    (
      await page.request.get(`${instance.url}/rest/v1/agents`, {
        headers: { apikey: instance.anon_key, authorization: `Bearer ${token.access_token}` },
      })
    ).status();
  assert.equal(await read(), 200);

  await page.goto("/account/programs");
  const row = page.getByRole("listitem", { name: "Notes" });
  await row.getByText("Read, Run: the API of this service.").waitFor();
  await checkAppearance(page, "account-programs");
  await row.getByRole("button", { name: "Disconnect" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
  await page.getByText("No program is connected.").waitFor();
  assert.equal(await read(), 401);
  await checkAppearance(page, "account-no-programs");
});

test("another account answers after the first has left, and a web app that was let in is not asked about again", async (t, {
  openPage,
  instance,
}) => {
  const other = await openPage(t, { expected: [/404/] });
  const grace = await createSignedInUser(other, createPerson());
  const page = await openPage(t);
  const ada = await createSignedInUser(page, createPerson());
  for (const shown of [page, other])
    await shown.route(`${CALLBACK}*`, (route) => route.fulfill({ contentType: "text/html", body: "<h1>App</h1>" }));
  const { client_id: clientId } = await register(page, instance);
  await page.goto(authorizePath(clientId, CALLBACK));
  await page.getByText(ada.email).waitFor();
  const asked = page.url();
  await other.goto(asked);
  await other.getByRole("heading", { name: "This request cannot be answered" }).waitFor();
  await page.getByRole("button", { name: "Use another account" }).click();
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  await signIn(page, grace);
  await page.getByText(grace.email).waitFor();
  assert.equal(page.url(), asked);
  await page.getByRole("button", { name: "Allow" }).click();
  await page.waitForURL(`${CALLBACK}?code=*`);

  await page.goto(authorizePath(clientId, CALLBACK));
  await page.waitForURL(`${CALLBACK}?code=*`);
  await page.goto(authorizePath(clientId, CALLBACK, "read write run"));
  await page.getByText("Now it asks for more: Write.").waitFor();
  await page.getByRole("button", { name: "Deny" }).click();
  await page.waitForURL(`${CALLBACK}?error=access_denied*`);
});

test("a session that ends before the answer is replaced by a sign-in with the second factor, which returns to the request", async (t, {
  openPage,
  instance,
}) => {
  const other = await openPage(t);
  const person = await createSignedInUser(other, createPerson());
  const page = await openPage(t, { expected: [/40[0-9]/, /WebSocket/] });
  await page.route(`${CALLBACK}*`, (route) => route.fulfill({ contentType: "text/html", body: "<h1>App</h1>" }));
  const { client_id: clientId } = await register(page, instance);
  await page.goto(authorizePath(clientId, CALLBACK));
  await signIn(page, person);
  const allow = page.getByRole("button", { name: "Allow" });
  await allow.waitFor();
  // Ends the sessions without it.
  const factor = await enrolFactor(other, instance);
  await allow.click();
  await page.getByText("Your session has ended.").waitFor();
  await signIn(page, person);
  await page.getByRole("heading", { level: 1, name: "One more step" }).waitFor();
  await page.getByLabel("Code").fill(factor.nextCode());
  await page.getByRole("button", { name: "Continue" }).click();
  await allow.click();
  await page.waitForURL(`${CALLBACK}?code=*`);
});

test("an operator registers a program, changes it, and deletes it", async (t, { openPage, instance }) => {
  const page = await openPage(t, { expected: [/400/] });
  await createSignedInUser(page, createPerson("Ada"));
  const key = instance.service_role_key;
  const added = await page.request.post("/operator/v1/operators", {
    headers: { apikey: key, authorization: `Bearer ${key}` },
    data: { user_id: (await readSession(page)).user.id },
  });
  assert.equal(added.status(), 201, await added.text());
  await enrolFactor(page, instance);
  await page.goto("/operator/programs");
  await page.getByRole("button", { name: "New program" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Reports");
  await dialog.getByLabel("Redirect URIs").fill("http://app.example.com/callback");
  await dialog.getByRole("radio", { name: "Confidential" }).click();
  await dialog.getByRole("checkbox", { name: "Approve (approve)" }).click();
  await checkAppearance(page, "operator-program-new");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("Redirect URIs").fill(`${CALLBACK}\ncom.example.reports:/callback`);
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByText("Copy the secret of").waitFor();
  const first = await page.locator("[data-secret]").textContent();
  assert.match(first ?? "", /^[\w-]{43}$/);
  await checkAppearance(page, "operator-programs");

  await page.getByRole("button", { name: "\u2068Reports\u2069", exact: true }).click();
  assert.equal(await dialog.getByLabel("Redirect URIs").inputValue(), `${CALLBACK}\ncom.example.reports:/callback`);
  assert.ok(await dialog.getByRole("checkbox", { name: "Approve (approve)" }).isChecked());
  assert.ok(!(await dialog.getByRole("checkbox", { name: "Share (share)" }).isChecked()));
  await dialog.getByRole("button", { name: "New secret" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.waitForFunction((old) => document.querySelector("[data-secret]")?.textContent !== old, first);
  await page.getByRole("button", { name: "\u2068Reports\u2069", exact: true }).click();
  await dialog.getByLabel("Name").fill("Weekly reports");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Delete \u2068Weekly reports" }).click();
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("The program is deleted.").first().waitFor();
  await page.getByRole("button", { name: "Delete \u2068Weekly reports" }).waitFor({ state: "detached" });
  await navigate(page, "/operator/audit");
  await page.getByText("Deleted a program").filter({ visible: true }).first().waitFor();
});
