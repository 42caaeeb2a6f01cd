import assert from "node:assert/strict";
import { test } from "node:test";
import { quoteForShell } from "../../src/commands/quote-for-shell.ts";
import { buildHealthCommand } from "../../src/commands/render-banner.ts";

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

test("words for the shell", () => {
  for (const [word, expected] of [
    ["/plain/path-1.pem", "/plain/path-1.pem"],
    ["/with space", "'/with space'"],
    ["it's", `'it'\\''s'`],
    ["$(rm)", "'$(rm)'"],
    ["", "''"],
  ] as const) {
    assert.equal(quoteForShell(word), expected);
  }
});
