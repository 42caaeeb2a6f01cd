import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import http, { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import {
  createBrowserClient,
  createServerClient,
  parseCookieHeader,
  serializeCookieHeader,
  type SetAllCookies,
} from "@supabase/ssr";
import type { Session, SupabaseClient } from "@supabase/supabase-js";
import { ok, openClient, PASSWORD } from "./support/clients.ts";
import { NEEDS_OWN_SERVICE } from "./support/given-service.ts";
import { createConfirmedUser, follow } from "./support/mail-links.ts";
import { openMailbox } from "./support/mailbox.ts";
import { type Service, startService } from "./support/service.ts";
import { MAILING } from "./support/settings.ts";
import { readToken } from "./support/tokens.ts";

const PAGE = join(import.meta.dirname, "../docs/guides/browser-apps.md");
const SECTION = "\n## Server-side rendering\n";
const BLOCK = /^```js\n([\s\S]*?)^```$/gm;
const PREFIX = "base64-";
/** Allowed by the list of the shared service; the tests call the application under its own address. */
const APP_URL = "https://other.example";

/** The cookies of one browser. */
class Jar {
  readonly cookies = new Map<string, string>();
  readonly getAll = (): { name: string; value: string }[] =>
    [...this.cookies].map(([name, value]) => ({ name, value }));
  readonly setAll: SetAllCookies = (cookies) => {
    for (const { name, value, options } of cookies) this.set(name, value, options.maxAge === 0);
  };
  set(name: string, value: string, isRemoved: boolean): void {
    if (isRemoved) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
  get names(): string[] {
    return [...this.cookies.keys()].toSorted();
  }
  copy(): Jar {
    const copied = new Jar();
    for (const [name, value] of this.cookies) copied.cookies.set(name, value);
    return copied;
  }
}

const SESSION_COOKIE = /^sb-localhost-auth-token(?:\.\d)?$/;

/** The session that the cookies hold, as the package encodes it. */
function readSession(jar: Jar): Session {
  const names = jar.names.filter((name) => SESSION_COOKIE.test(name));
  const text = names.map((name) => jar.cookies.get(name) ?? "").join("");
  assert.ok(text.startsWith(PREFIX), text.slice(0, 40));
  return JSON.parse(Buffer.from(text.slice(PREFIX.length), "base64url").toString()) as Session;
}

function writeSession(jar: Jar, session: Session): void {
  for (const name of jar.names) if (SESSION_COOKIE.test(name)) jar.cookies.delete(name);
  const text = PREFIX + Buffer.from(JSON.stringify(session)).toString("base64url");
  const chunks = text.match(/.{1,3180}/g) ?? [];
  chunks.forEach((chunk, index) => jar.cookies.set(`sb-localhost-auth-token.${index}`, chunk));
}

/** As it is when a user returns after more than the hour that an access token is valid. */
function expireSession(jar: Jar): Session {
  const session = readSession(jar);
  writeSession(jar, { ...session, expires_at: Math.floor(Date.now() / 1000) - 60 });
  return session;
}

describe("5 sessions in cookies with @supabase/ssr", { skip: NEEDS_OWN_SERVICE }, () => {
  let service: Service;
  let app: Server;
  let folder = "";
  before(async () => {
    service = await startService(MAILING);
    openClient(service);
    folder = await mkdtemp(join(tmpdir(), "swarmbase-ssr-"));
    app = await startApp(service, folder);
    app.listen(0, "127.0.0.1");
    await once(app, "listening");
  });
  after(async () => {
    app?.close();
    await rm(folder, { recursive: true, force: true });
  });

  function openBrowser(jar: Jar): SupabaseClient {
    const { url, anon_key } = service.credentials;
    const client: unknown = createBrowserClient(url, anon_key, {
      isSingleton: false,
      cookies: { getAll: jar.getAll, setAll: jar.setAll },
    });
    // The package declares the type of its CommonJS form, which TypeScript takes for another one.
    return client as SupabaseClient;
  }

  function openServer(jar: Jar): SupabaseClient {
    const { url, anon_key } = service.credentials;
    const client: unknown = createServerClient(url, anon_key, {
      cookies: { getAll: jar.getAll, setAll: jar.setAll },
    });
    return client as SupabaseClient;
  }

  async function signIn(): Promise<{ readonly jar: Jar; readonly email: string; readonly browser: SupabaseClient }> {
    const email = await createConfirmedUser(service);
    const jar = new Jar();
    const browser = openBrowser(jar);
    ok(await browser.auth.signInWithPassword({ email, password: PASSWORD }));
    return { jar, email, browser };
  }

  /** Visits a page of the application as a browser does, and keeps the cookies of the response. */
  async function visit(
    jar: Jar,
    path: string,
  ): Promise<{ status: number; text: string; headers: http.IncomingHttpHeaders }> {
    const cookie = jar.getAll().map(({ name, value }) => `${name}=${encodeURIComponent(value)}`);
    const { port } = app.address() as AddressInfo;
    const request = http.get({ host: "127.0.0.1", port, path, agent: false, headers: { cookie: cookie.join("; ") } });
    const [response] = (await once(request, "response")) as [http.IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    for (const line of response.headers["set-cookie"] ?? []) {
      const [{ name, value } = { name: "", value: "" }] = parseCookieHeader(line.split("; ", 1)[0] ?? "");
      jar.set(name, value, /; Max-Age=0(?:;|$)/.test(line));
    }
    return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString(), headers: response.headers };
  }

  test("5 the server reads the session that the browser client has written, in chunks", async () => {
    const { jar, email, browser } = await signIn();
    ok(await browser.auth.updateUser({ data: { note: "x".repeat(4_000) } }));
    assert.ok(jar.names.includes("sb-localhost-auth-token.1"), jar.names.join());
    ok(await browser.from("agents").insert({ name: "Critic" }));
    const before = [...jar.cookies];

    const server = openServer(jar);
    assert.equal(ok(await server.auth.getClaims())?.claims["email"], email);
    assert.equal(ok(await server.auth.getUser()).user.email, email);
    assert.deepEqual(ok(await server.from("agents").select("name")), [{ name: "Critic" }]);
    assert.deepEqual([...jar.cookies], before);
    const page = await visit(jar, "/");
    assert.deepEqual([page.status, page.text, page.headers["set-cookie"]], [200, `${email}: Critic`, undefined]);
  });

  test("5 the server refreshes an expired session and hands it to the browser", async () => {
    const { jar, email } = await signIn();
    const old = expireSession(jar);
    const page = await visit(jar, "/");
    assert.equal(page.text, `${email}: `);
    assert.match(page.headers["cache-control"] ?? "", /no-store/);
    const renewed = readSession(jar);
    assert.notEqual(renewed.refresh_token, old.refresh_token);
    assert.ok((renewed.expires_at ?? 0) > Date.now() / 1000);

    const browser = openBrowser(jar);
    assert.equal(ok(await browser.auth.getSession()).session?.access_token, renewed.access_token);
    assert.equal(ok(await browser.auth.getUser()).user.email, email);
    assert.equal(ok(await openServer(jar).auth.refreshSession()).user?.email, email);
  });

  test("5 requests at the same time with one expired session all get a session", async () => {
    const { jar, email } = await signIn();
    expireSession(jar);
    const tabs = [jar.copy(), jar.copy(), jar.copy()];
    const pages = await Promise.all(tabs.map((tab) => visit(tab, "/")));
    assert.deepEqual(
      pages.map(({ text }) => text),
      tabs.map(() => `${email}: `),
    );
    for (const tab of tabs) assert.equal(ok(await openServer(tab).auth.getUser()).user.email, email);
    const [last = new Jar()] = tabs;
    expireSession(last);
    assert.equal((await visit(last, "/")).text, `${email}: `);
  });

  test("5 a link by mail signs in through the server, only in the browser that requested it", async () => {
    const email = await createConfirmedUser(service);
    const jar = new Jar();
    assert.equal((await visit(jar, `/sign-in?email=${encodeURIComponent(email)}`)).text, "Look into your mailbox.");
    assert.ok(
      jar.names.some((name) => name.includes("code-verifier")),
      jar.names.join(),
    );
    const { pathname, search } = await follow(service, (await openMailbox(service).take(email)).link);
    assert.equal(pathname, "/auth/callback");

    const other = new Jar();
    assert.equal((await visit(other, pathname + search)).headers.location, "/sign-in");
    assert.deepEqual(other.names, []);
    assert.equal((await visit(jar, pathname + search)).headers.location, "/");
    assert.equal((await visit(jar, "/")).text, `${email}: `);
  });

  test("5 a sign-out on the server removes the cookies and ends the session", async () => {
    const { jar } = await signIn();
    const { access_token: token } = readSession(jar);
    assert.equal((await visit(jar, "/sign-out")).headers.location, "/");
    assert.deepEqual(jar.names, []);
    assert.equal((await visit(jar, "/")).headers.location, "/sign-in");
    const headers = { apikey: service.credentials.anon_key, authorization: `Bearer ${token}` };
    const { status, body } = await service.request("/auth/v1/user", { headers });
    assert.deepEqual([status, body["error_code"]], [401, "session_not_found"]);
  });

  test("5 forged and damaged cookies sign nobody in", async (t) => {
    // The package writes about cookies that it cannot read.
    t.mock.method(console, "warn", () => {});
    const { jar } = await signIn();
    const session = readSession(jar);
    const [head = "", , signature = ""] = session.access_token.split(".");
    const claims = Buffer.from(
      JSON.stringify({ ...readToken(session.access_token).claims, email: "root@example.com" }),
    );
    const forged = jar.copy();
    writeSession(forged, { ...session, access_token: [head, claims.toString("base64url"), signature].join(".") });
    assert.equal((await visit(forged, "/")).headers.location, "/sign-in");
    assert.equal((await openServer(forged).auth.getUser()).error?.code, "bad_jwt");

    const stale = jar.copy();
    expireSession(stale);
    writeSession(stale, { ...readSession(stale), refresh_token: "unknown" });
    assert.equal((await visit(stale, "/")).headers.location, "/sign-in");
    const damaged = new Jar();
    damaged.cookies.set("sb-localhost-auth-token", `${PREFIX}!!!`);
    assert.equal((await visit(damaged, "/")).headers.location, "/sign-in");
    assert.equal((await visit(jar, "/")).status, 200);
  });
});

/** The application of the page, with its own text. */
async function startApp({ credentials }: Service, folder: string): Promise<Server> {
  const [, page = ""] = (await readFile(PAGE, "utf8")).split(SECTION);
  const text = [...page.matchAll(BLOCK)].map(([, block = ""]) => block.replace(/^import .*$/gm, "")).join("\n");
  const env = { SWARMBASE_URL: credentials.url, SWARMBASE_ANON_KEY: credentials.anon_key, APP_URL };
  const names = { createServer, createServerClient, parseCookieHeader, serializeCookieHeader, process: { env } };
  const file = join(folder, "app.mjs");
  await writeFile(file, `export default ({ ${Object.keys(names).join(", ")} }) => {\n${text}\nreturn app;\n};\n`);
  const { default: make } = (await import(pathToFileURL(file).href)) as { default: (given: typeof names) => Server };
  return make(names);
}
