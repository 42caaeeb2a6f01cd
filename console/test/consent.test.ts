import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Page, Request } from "playwright-core";
import { ageSessions } from "./support/age-sessions.ts";
import { getApiClient } from "./support/api-client.ts";
import { checkAppearance } from "./support/appearance.ts";
import { createBrowserTest } from "./support/browser-test.ts";
import { createSignedInUser, signIn } from "./support/people.ts";

const test = createBrowserTest();
const CALLBACK = "https://app.example.com/callback";

/** A request of a program as the service describes it. The tests of real requests are in `connected-programs.test.ts`. */
function describe(email: string, more: object = {}) {
  return {
    authorization_id: randomUUID(),
    redirect_uri: CALLBACK,
    client: {
      id: "https://client.example.com/oauth.json",
      name: "Swarmbase \u202e\u2069<b>support</b>",
      uri: "https://client.example.com",
      logo_uri: "",
      host: "client.example.com",
      registration: "document",
    },
    user: { id: randomUUID(), email },
    scope: "read run email",
    scopes: ["read", "run", "email"],
    resource: "https://localhost/mcp",
    previous: null,
    is_loopback_redirect: false,
    ...more,
  };
}

type Described = ReturnType<typeof describe>;

/** Answers for the service, and keeps what the page sends. */
async function serve(page: Page, asked: Described, redirectUrl: string): Promise<Request[]> {
  const sent: Request[] = [];
  await page.route(`**/auth/v1/oauth/authorizations/${asked.authorization_id}*`, (route) =>
    route.fulfill({ json: asked }),
  );
  await page.route(`**/auth/v1/oauth/authorizations/${asked.authorization_id}/consent`, (route, request) => {
    sent.push(request);
    return route.fulfill({ json: { redirect_url: redirectUrl } });
  });
  await page.route(`${CALLBACK}*`, (route) =>
    route.fulfill({ contentType: "text/html", body: "<title>App</title><h1>Connected</h1>" }),
  );
  return sent;
}

const pathOf = ({ authorization_id: id }: Described) => `/oauth/consent?authorization_id=${id}`;

test("a visitor signs in, sees who asks for what, and allows less than that", async (t, { openPage, instance }) => {
  const earlier = await openPage(t);
  const person = await createSignedInUser(earlier);
  const api = await getApiClient(earlier, instance);
  const agents = await Promise.all(
    Array.from({ length: 7 }, (_, index) => api.call("POST", "/rest/v1/agents", { name: `Agent ${index + 1}` })),
  );
  const page = await openPage(t);
  const asked = describe(person.email);
  const sent = await serve(page, asked, `${CALLBACK}?code=abc`);
  await page.goto(pathOf(asked));
  await signIn(page, person);
  await page.getByRole("heading", { level: 1, name: "Let a program in?" }).waitFor();
  assert.equal(new URL(page.url()).search, `?authorization_id=${asked.authorization_id}`);
  // Neither markup nor characters that reverse the text around them.
  await page.getByText("\u2068Swarmbase <b>support</b>\u2069", { exact: true }).waitFor();
  for (const text of ["client.example.com", "app.example.com", person.email, "over MCP"])
    await page.getByText(text).first().waitFor();
  assert.equal(await page.getByRole("navigation").count(), 0);
  assert.equal(await page.getByText("on this computer").count(), 0);
  await checkAppearance(page, "consent");

  const allow = page.getByRole("button", { name: "Allow" });
  await page.getByRole("checkbox", { name: "Run" }).click();
  await page.getByRole("checkbox", { name: "All my agents and swarms" }).click();
  assert.ok(await allow.isDisabled());
  await page.getByLabel("Search agents and swarms").fill("agent 7");
  await page.getByRole("checkbox", { name: "Agent 7" }).click();
  await checkAppearance(page, "consent-some");
  await allow.click();
  await page.waitForURL(`${CALLBACK}?code=abc`);
  const [agent] = agents[6] as [{ id: string }];
  assert.deepEqual(
    sent.map((request) => request.postDataJSON() as unknown),
    [{ action: "approve", scopes: ["read", "email"], resources: { agents: [agent.id], swarms: [] } }],
  );
});

test("the page says what changed, warns of a program on this computer, and sends a refusal", async (t, {
  openPage,
}) => {
  const page = await openPage(t);
  const { email } = await createSignedInUser(page);
  const asked = describe(email, {
    redirect_uri: "http://127.0.0.1:1455/cb",
    is_loopback_redirect: true,
    previous: {
      scopes: ["read"],
      resources: { agents: [randomUUID()], swarms: [] },
      client_name: "Notes",
      redirect_uris: [],
    },
  });
  const sent = await serve(page, asked, `${CALLBACK}?error=access_denied`);
  await page.goto(pathOf(asked));
  await page.getByText("Now it asks for more: Run, E-mail address. Its name was \u2068Notes\u2069.").waitFor();
  await page.getByText("could receive the answer").waitFor();
  await page.getByText("a program on this computer (127.0.0.1:1455)").waitFor();
  // The agent that it was bound to is gone.
  assert.ok(await page.getByRole("button", { name: "Allow" }).isDisabled());
  await checkAppearance(page, "consent-changed");
  await page.getByRole("button", { name: "Deny" }).click();
  await page.waitForURL(`${CALLBACK}?error=access_denied`);
  assert.deepEqual(
    sent.map((request) => request.postDataJSON() as unknown),
    [{ action: "deny" }],
  );
});

test("an old sign-in is proven in place before the program is let in", async (t, { openPage, instance }) => {
  const page = await openPage(t, { expected: [/400/] });
  const { email, password } = await createSignedInUser(page);
  await ageSessions(instance, (await getApiClient(page, instance)).userId);
  const asked = describe(email);
  const sent = await serve(page, asked, `${CALLBACK}?code=abc`);
  let isProven = false;
  await page.route(`**/auth/v1/oauth/authorizations/${asked.authorization_id}/consent`, (route) => {
    if (isProven) return route.fallback();
    isProven = true;
    const json = { code: "reauthentication_needed", error_code: "reauthentication_needed", msg: "Prove it" };
    return route.fulfill({ status: 400, json });
  });
  await page.goto(pathOf(asked));
  await page.getByRole("button", { name: "Allow" }).click();
  const proof = page.getByRole("dialog", { name: "Confirm that it is you" });
  await proof.getByLabel("Your password", { exact: true }).fill(password);
  await proof.getByRole("button", { name: "Confirm" }).click();
  await page.waitForURL(`${CALLBACK}?code=abc`);
  assert.deepEqual(
    sent.map((request) => request.postDataJSON() as unknown),
    [{ action: "approve" }],
  );
});

test("the page never opens an address that a browser would run or show itself", async (t, { openPage }) => {
  const page = await openPage(t);
  const { email } = await createSignedInUser(page);
  const hostile = [
    ["javascript:document.title='run'", "javascript:document.title='run'"],
    ["data:text/html,<h1>run</h1>", "data:text/html,"],
    ["com.example.app:/cb?code=abc", CALLBACK],
  ] as const;
  for (const [redirectUrl, redirectUri] of hostile) {
    const asked = describe(email, { redirect_uri: redirectUri });
    await serve(page, asked, redirectUrl);
    await page.goto(pathOf(asked));
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("heading", { level: 1, name: "The program cannot be reached" }).waitFor();
    assert.equal(await page.getByRole("link").count(), 0, redirectUrl);
  }
  const known = describe(email, { redirect_uri: "com.example.app:/cb" });
  await serve(page, known, "com.example.app:/cb?code=abc");
  await page.goto(pathOf(known));
  await page.getByText("a program on this computer (com.example.app:)").waitFor();
  await page.getByRole("button", { name: "Allow" }).click();
  const again = page.getByRole("link", { name: "Continue" });
  assert.equal(await again.getAttribute("href"), "com.example.app:/cb?code=abc");
});

test("a request that is over has a way on, and an address with another path sends nothing", async (t, { openPage }) => {
  const page = await openPage(t, { expected: [/404/] });
  await createSignedInUser(page);
  const sent: string[] = [];
  page.on("request", (request) => {
    if (/\/auth\/v1\/(?!user|settings)/.test(request.url())) sent.push(request.url());
  });
  for (const id of ["", "../../logout?scope=global", `${randomUUID()}/../../../logout`]) {
    await page.goto(`/oauth/consent?authorization_id=${encodeURIComponent(id)}`);
    await page.getByRole("heading", { level: 1, name: "This request cannot be answered" }).waitFor();
  }
  assert.deepEqual(sent, []);
  await page.goto(`/oauth/consent?authorization_id=${randomUUID()}`);
  await page.getByRole("heading", { level: 1, name: "This request cannot be answered" }).waitFor();
  await checkAppearance(page, "consent-gone");
  await page.getByRole("link", { name: "Connected programs" }).waitFor();
});
