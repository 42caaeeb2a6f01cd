import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { type ConsoleModule, openConsole } from "../../src/console/index.ts";
import { consoleFallback, consoleRoutes } from "../../src/http/index.ts";
import { acceptsCoding } from "../../src/http/request/negotiation.ts";
import { startServer, type TestServer } from "../http/support/test-server.ts";
import { silentObserver } from "../support/silent-observer.ts";

const PAGE = "<!doctype html><title>Swarmbase</title><div id=root></div>";
const SCRIPT = `console.log("${"hello ".repeat(200)}");`;
const HTML = { accept: "text/html,application/xhtml+xml" };

/** A workspace whose build is this script. */
async function makeWorkspace(t: TestContext, script: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-console-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "build.ts"), script);
  return folder;
}

async function makeBuilt(t: TestContext): Promise<string> {
  const folder = await makeWorkspace(t, "");
  const built = join(folder, "dist", "built");
  await mkdir(join(built, "assets"), { recursive: true });
  await mkdir(join(built, "console"));
  await writeFile(join(built, "index.html"), PAGE);
  await writeFile(join(built, "assets/main-1a2b.js"), SCRIPT);
  await writeFile(join(built, "assets/main-1a2b.js.br"), brotliCompressSync(SCRIPT));
  await writeFile(join(built, "console/theme.js"), "1;");
  await writeFile(join(folder, "secret.js"), "not yours");
  await writeFile(
    join(folder, "build.ts"),
    `console.log("working …");\nconsole.log(${JSON.stringify(`ready ${built}`)});`,
  );
  return folder;
}

const PROVIDERS = { provider_a: "OpenAI", provider_b: "Anthropic", provider_c: "Simulated" };
let isHeldCopy = false;
let isFirstStart = false;
let mayAddProvider = false;
let links: string[] = [];
let portalAncestors: string[] = [];

function open(t: TestContext, folder: string, lines: string[] = []): ConsoleModule {
  const module = openConsole({
    environment: {},
    observer: silentObserver,
    version: "1.2.3",
    anonKey: "public-key",
    mail: "file",
    links,
    portalAncestors,
    folder,
    onProgress: (line) => lines.push(line),
    isHeldCopy: () => isHeldCopy,
    isFirstStart: async () => isFirstStart,
    providerNames: () => PROVIDERS,
    preferredFramework: () => "provider_b",
    mayAddProvider: () => mayAddProvider,
  });
  t.after(() => module.close());
  return module;
}

async function serve(t: TestContext, module: ConsoleModule): Promise<TestServer> {
  return startServer(t, { routes: consoleRoutes(module), fallback: consoleFallback(module) });
}

async function untilSettled(server: TestServer): Promise<void> {
  for (let tries = 0; tries < 3_000; tries += 1) {
    const { headers } = await server.request("/", { headers: HTML });
    if (headers["refresh"] === undefined) return;
    await wait(20);
  }
  assert.fail("the console is still being built");
}

test("the page and its files, as a browser asks for them", async (t) => {
  const lines: string[] = [];
  const server = await serve(t, open(t, await makeBuilt(t), lines));
  await untilSettled(server);
  assert.deepEqual(lines, ["working …"]);

  const page = await server.request("/", { headers: HTML });
  assert.equal(page.status, 200);
  assert.equal(page.text, PAGE);
  assert.match(page.headers["content-type"] ?? "", /^text\/html/);
  assert.equal(page.headers["cache-control"], "no-cache");
  const policy = String(page.headers["content-security-policy"]);
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
  assert.doesNotMatch(policy, /unsafe/);
  assert.equal(page.headers["cross-origin-opener-policy"], "same-origin");

  const again = await server.request("/", { headers: { ...HTML, "if-none-match": `W/${page.headers["etag"]}` } });
  assert.deepEqual([again.status, again.text], [304, ""]);
  const head = await server.request("/", { method: "HEAD", headers: HTML });
  assert.deepEqual([head.status, head.text, head.headers["content-length"]], [200, "", String(PAGE.length)]);

  const script = await server.request("/assets/main-1a2b.js");
  assert.equal(script.text, SCRIPT);
  assert.match(script.headers["cache-control"] ?? "", /immutable/);
  assert.match((await server.request("/console/theme.js")).headers["cache-control"] ?? "", /no-cache/);
  const start = await server.request("/console.json");
  assert.deepEqual(start.json, {
    url: "",
    anon_key: "public-key",
    version: "1.2.3",
    mail: "file",
    providers: PROVIDERS,
    framework: "provider_b",
  });
  isHeldCopy = true;
  const held = await server.request("/console.json");
  isHeldCopy = false;
  assert.deepEqual(held.json, { ...start.json, restored_copy: "held" });
  mayAddProvider = true;
  const keyless = await server.request("/console.json");
  mayAddProvider = false;
  assert.deepEqual(keyless.json, { ...start.json, add_provider: true });
  isFirstStart = true;
  const first = await server.request("/console.json");
  isFirstStart = false;
  assert.deepEqual(first.json, { ...start.json, first_start: true });
});

test("the portal is shown in frames of the named origins alone, and the console in none", async (t) => {
  const framesOf = async (server: TestServer, path: string): Promise<unknown[]> => {
    const { status, text, headers } = await server.request(path, { headers: HTML });
    const ancestors = /frame-ancestors ([^;]*)/.exec(String(headers["content-security-policy"]))?.[1];
    return [status, text, ancestors, headers["x-frame-options"]];
  };
  const closed = await serve(t, open(t, await makeBuilt(t)));
  await untilSettled(closed);
  assert.deepEqual(await framesOf(closed, "/portal"), [200, PAGE, "'none'", "DENY"]);
  portalAncestors = ["https://app.example.com", "https://*.example.org"];
  const shown = await serve(t, open(t, await makeBuilt(t)));
  portalAncestors = [];
  await untilSettled(shown);
  const ancestors = "https://app.example.com https://*.example.org";
  for (const path of ["/portal", "/portal/webhooks/new"])
    assert.deepEqual(await framesOf(shown, path), [200, PAGE, ancestors, undefined]);
  for (const path of ["/", "/webhooks", "/portals", "/Portal", "/oauth/consent?authorization_id=1"])
    assert.deepEqual(await framesOf(shown, path), [200, PAGE, "'none'", "DENY"], path);
  const { headers } = await shown.request("/portal", { headers: HTML });
  const again = await shown.request("/portal", { headers: { ...HTML, "if-none-match": String(headers["etag"]) } });
  assert.equal(again.status, 304);
  assert.equal(again.headers["content-security-policy"], headers["content-security-policy"]);
});

test("a folder of built files, as the published package has it, is served without a build", async (t) => {
  const lines: string[] = [];
  const server = await serve(t, open(t, join(await makeBuilt(t), "dist/built"), lines));
  await untilSettled(server);
  assert.equal((await server.request("/", { headers: HTML })).text, PAGE);
  assert.deepEqual(lines, []);
});

test("/console.json names the API reference and the documentation when the service has them", async (t) => {
  links = ["reference", "docs"];
  const consoleModule = open(t, await makeBuilt(t));
  links = [];
  const server = await serve(t, consoleModule);
  const { reference, docs } = (await server.request("/console.json")).json;
  assert.deepEqual({ reference, docs }, { reference: "/reference", docs: "/docs" });
});

test("files are sent compressed to who takes that, and plain to who does not", async (t) => {
  const module = open(t, await makeBuilt(t));
  const server = await serve(t, module);
  await untilSettled(server);
  const path = "/assets/main-1a2b.js";
  const find = (acceptEncoding: string) =>
    module.findFile(path, { accepts: (coding) => acceptsCoding(acceptEncoding, coding), holds: () => false });
  const compressed = find("gzip, br;q=0.5");
  assert.equal(compressed?.headers["content-encoding"], "br");
  assert.equal(brotliDecompressSync(compressed?.body ?? "").toString(), SCRIPT);
  for (const acceptEncoding of ["", "identity", "br;q=0", "gzip"]) {
    const plain = find(acceptEncoding);
    assert.equal(plain?.headers["content-encoding"], undefined, acceptEncoding);
    assert.equal(plain?.body.toString(), SCRIPT);
  }
});

test("pages have the page, the API keeps its own answers", async (t) => {
  const server = await serve(t, open(t, await makeBuilt(t)));
  await untilSettled(server);
  for (const path of ["/agents", "/swarms/1/runs?x=1", "/authors", "/a.b", "/%61gents"]) {
    assert.equal((await server.request(path, { headers: HTML })).text, PAGE, path);
    assert.equal((await server.request(path)).json["code"], "NOT_FOUND", path);
    assert.equal((await server.request(path, { headers: HTML, method: "POST" })).status, 404, path);
  }
  const owned = [
    "/auth/v1/nothing",
    "/rest/v1",
    "/functions/v1/nothing",
    "/realtime",
    "/.well-known/x",
    "/reference/x",
  ];
  for (const path of [...owned, "/assets/gone.js", "/console/gone.js", "/health/more", "/openapi.json", "/metrics"]) {
    const answer = await server.request(path, { headers: HTML });
    assert.equal(answer.status, 404, path);
    assert.match(answer.headers["content-type"] ?? "", /json/, path);
  }
  assert.equal((await server.request("/")).json["code"], "NOT_FOUND");
  assert.equal((await server.request("/health", { headers: HTML })).json["status"], "ok");
});

test("no path leads out of the folder", async (t) => {
  const server = await serve(t, open(t, await makeBuilt(t)));
  await untilSettled(server);
  const ways = [
    "/assets/../../secret.js",
    "/assets/..%2f..%2fsecret.js",
    "/assets/%2e%2e/%2e%2e/secret.js",
    "/assets/..\\..\\secret.js",
  ];
  for (const path of [
    ...ways,
    "/assets//secret.js",
    "/assets/__proto__",
    "/console/../index.html",
    "/assets/main-1a2b.js.br",
  ]) {
    const answer = await server.request(path, { headers: HTML });
    assert.notEqual(answer.text, "not yours", path);
    assert.notEqual(answer.status, 200, path);
  }
});

test("until it is built the page says so and comes by itself", async (t) => {
  const folder = await makeWorkspace(t, "setInterval(() => {}, 1000);");
  const server = await serve(t, open(t, folder));
  const answer = await server.request("/", { headers: HTML });
  assert.deepEqual([answer.status, answer.headers["refresh"]], [503, "2"]);
  assert.match(answer.text, /being built/);
  assert.doesNotMatch(answer.text, /<script|<style/);
});

test("a failed build is reported without the details that belong in the log", async (t) => {
  const folder = await makeWorkspace(t, 'console.error("EACCES: /somewhere/inside"); process.exit(1);');
  const server = await serve(t, open(t, folder));
  await untilSettled(server);
  const answer = await server.request("/agents", { headers: HTML });
  assert.equal(answer.status, 503);
  assert.match(answer.text, /could not be built/);
  assert.doesNotMatch(answer.text, /somewhere/);
  assert.equal((await server.request("/health")).status, 200);
});
