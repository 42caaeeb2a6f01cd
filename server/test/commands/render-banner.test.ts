import assert from "node:assert/strict";
import { test } from "node:test";
import { describeProviders, loadProviders } from "../../src/agents/index.ts";
import { DEFAULT_EXTENSIONS, loadSettings } from "../../src/config/index.ts";
import { quoteForShell } from "../../src/commands/quote-for-shell.ts";
import { buildHealthCommand, renderBanner } from "../../src/commands/render-banner.ts";

test("the curl line names the CA where we made it", () => {
  const localUrl = "https://localhost:8443";
  assert.equal(
    buildHealthCommand({ localUrl, caFile: "/data/tls/ca.pem" }),
    "curl --cacert /data/tls/ca.pem https://localhost:8443/health",
  );
  assert.equal(buildHealthCommand({ localUrl, caFile: null }), "curl https://localhost:8443/health");
});

test("behind a proxy the curl line speaks as the proxy would", () => {
  assert.equal(
    buildHealthCommand({ localUrl: "http://localhost:8080", caFile: null }),
    "curl -H 'X-Forwarded-Proto: https' http://localhost:8080/health",
  );
});

test("the banner shows the console, a database outside the data directory, and held work", () => {
  const parts = {
    url: "https://localhost:8443",
    localUrl: "https://localhost:8443",
    caFile: null,
    keysFile: "/data/credentials.json",
    databaseDir: null,
    providers: ["provider_a: simulated"],
    extensions: ["reference", "notes"],
    docsUrl: "https://localhost:8443/docs",
    isHeldCopy: false,
    hasConsole: false,
    version: "1.0.0",
    tookMs: 1_000,
  };
  assert.doesNotMatch(renderBanner(parts), /Database|Held|Console|Trust/);
  const [, , , first] = renderBanner({ ...parts, hasConsole: true }).split("\n");
  assert.equal(first, "  Console     https://localhost:8443/ (open this in a browser)");
  assert.match(renderBanner(parts), /^ {2}New app +npm run create-app \.\.\/my-app$/m);
  const local = renderBanner({ ...parts, caFile: "/data/tls/ca.pem" });
  assert.match(local, /^ {2}Trust +npm run swarmbase certificate trust$/m);
  assert.doesNotMatch(renderBanner(parts), /provider add/);
  const simulated = renderBanner({ ...parts, providers: describeProviders(loadProviders(loadSettings({}))) });
  assert.match(simulated, /^ {2}Models +simulated: .* no model\n +to add a key: npm run swarmbase provider add$/m);
  assert.match(renderBanner(parts), /^ {2}Extensions +reference, notes$/m);
  assert.match(renderBanner({ ...parts, extensions: [] }), /^ {2}Extensions +none$/m);
  assert.doesNotMatch(renderBanner({ ...parts, extensions: DEFAULT_EXTENSIONS.toReversed() }), /Extensions/);
  assert.match(
    renderBanner({ ...parts, extensions: [...DEFAULT_EXTENSIONS, "operator", "./mine.ts"] }),
    /^ {2}Extensions +the default ones and operator, \.\/mine\.ts$/m,
  );
  assert.match(renderBanner(parts), /^ {2}Docs +https:\/\/localhost:8443\/docs$/m);
  assert.match(renderBanner({ ...parts, docsUrl: null }), /^ {2}Docs +none; EXTENSIONS does not name docs-site$/m);
  const banner = renderBanner({ ...parts, databaseDir: "/var/lib/swarmbase/0123/cluster", isHeldCopy: true });
  assert.match(banner, /^ {2}Database +\/var\/lib\/swarmbase\/0123\/cluster$/m);
  assert.match(banner, /^ {2}Held +this is a restored copy: .* swarmbase resume$/m);
});

test("quoteForShell quotes any word", () => {
  for (const [word, expected] of [
    ["/plain/path-1.pem", "/plain/path-1.pem"],
    ["/with space", "'/with space'"],
    ["it's", `'it'\\''s'`],
    ["$(rm)", "'$(rm)'"],
    ["", "''"],
  ] as const) {
    assert.equal(quoteForShell(word, "linux"), expected);
  }
  assert.equal(quoteForShell("C:\\data\\ca-cert.pem", "win32"), "C:\\data\\ca-cert.pem");
  assert.equal(quoteForShell("C:\\Meine Dateien\\ä.pem", "win32"), '"C:\\Meine Dateien\\ä.pem"');
});
