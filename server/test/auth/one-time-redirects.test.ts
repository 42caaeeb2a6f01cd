import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { chooseRedirect } from "../../src/auth/one-time/links.ts";
import { ANY_CHARACTER } from "../support/any-character.ts";

const SITE = "https://site.example/app";

function choose(
  wanted: string | undefined,
  redirectAllowList: readonly string[] = [],
  siteUrl: string | null = SITE,
): string {
  return chooseRedirect({ baseUrl: "https://api.example", settings: { siteUrl, redirectAllowList } }, wanted);
}

describe("the redirect of a link", () => {
  const allowed: readonly [string, string, string?][] = [
    ["https://site.example/app", ""],
    ["https://site.example/app/deep/page?x=1#y", ""],
    ["https://one.example/callback", "https://one.example/callback"],
    ["https://ONE.example/callback", "https://one.example/callback", "https://one.example/callback"],
    ["https://one.example:443/callback", "https://one.example/callback", "https://one.example/callback"],
    ["https://one.example/callback", "https://one.example:443/callback"],
    ["https://one.example/", "https://one.example"],
    ["https://one.example", "https://one.example", "https://one.example/"],
    ["http://localhost:3000/a", "http://localhost:3000/*"],
    ["http://localhost:3000/a/b/c?d=e", "http://localhost:3000/**"],
    ["https://branch-7.app.example/", "https://*.app.example"],
    ["https://a.b.app.example/x/y", "https://**.app.example/**"],
    ["https://pr-12-team.preview.example/login", "https://*-team.preview.example/**"],
    ["https://one.example/users/7/edit", "https://one.example/users/*/edit"],
    ["https://anything.example/at/all?x=y", "https://**"],
    ["myapp://callback", "myapp://callback"],
    ["myapp://callback/deep?x=1", "myapp://**"],
    ["com.example.app://login-callback/", "com.example.app://login-callback/"],
    ["exp://192.168.1.4:8081/--/auth", "exp://192.168.*.*:8081/--/*"],
    ["https://one.example/a#old", "https://one.example/a"],
  ];
  for (const [wanted, pattern, outcome = wanted] of allowed) {
    it(`${wanted} with ${pattern || "nothing"} on the list`, () => {
      assert.equal(choose(wanted, pattern === "" ? [] : [pattern]), outcome);
    });
  }

  const rejected: readonly [string, string?][] = [
    [""],
    ["/relative"],
    ["//evil.example/"],
    ["https:evil.example"],
    ["https:/evil.example"],
    ["https://evil.example"],
    ["http://site.example/app"],
    ["https://site.example:8443/app"],
    ["https://site.example/apple"],
    ["https://site.example/app/../admin"],
    ["https://site.example/app/%2e%2e/admin"],
    ["https://site.example.evil.example/app"],
    ["https://evil.example/site.example/app"],
    ["https://site.example@evil.example/app"],
    ["https://user:pass@site.example/app"],
    ["https://user@site.example/app"],
    ["https:\\\\site.example\\app"],
    ["https://evil.example\\@site.example/app"],
    ["https://site.example\\.evil.example/app"],
    ["https://site.example/app\n.evil.example"],
    ["https://site.example/app\u0000"],
    ["\u0001https://site.example/app"],
    [" https://site.example/app"],
    ["https://site.example/app "],
    ["https://si\u00adte.example/app"],
    ["https://site.example\u2028/app"],
    ["java\tscript:alert(1)"],
    ["javascript:alert(1)"],
    ["javascript://site.example/app%0aalert(1)", "javascript://**"],
    ["data:text/html,hello"],
    ["data://text/html,hello", "data://**"],
    ["file:///etc/hosts", "file:///**"],
    ["vbscript://x", "vbscript://**"],
    [`https://site.example/app/${"x".repeat(3_000)}`],
    ["https://one.example/callback/more", "https://one.example/callback"],
    ["https://one.example/callback?next=x", "https://one.example/callback"],
    ["https://one.example/a/b", "https://one.example/*"],
    ["https://one.example/a.b", "https://one.example/*"],
    ["https://a.b.app.example/", "https://*.app.example/"],
    ["https://app.example.evil.example/", "https://*.example/"],
    ["https://evil.example/x.app.example/", "https://**.app.example/**"],
    ["https://evil.example#.app.example/", "https://**.app.example/**"],
    ["https://evil.example?.app.example/", "https://**.app.example/**"],
    ["https://one.example:9000/callback", "https://one.example/callback"],
    ["https://one-example/callback", "https://one.example/callback"],
    ["http://one.example/callback", "https://one.example/callback"],
    ["otherapp://callback", "myapp://**"],
  ];
  for (const [wanted, pattern] of rejected) {
    it(`is the site and not ${JSON.stringify(wanted.slice(0, 60))}${pattern === undefined ? "" : ` with ${pattern}`}`, () => {
      assert.equal(choose(wanted, pattern === undefined ? [] : [pattern]), SITE);
    });
  }

  it("is the URL of the service when no site is configured", () => {
    assert.equal(choose(undefined, [], null), "https://api.example");
    assert.equal(choose("https://api.example/x", [], null), "https://api.example/x");
  });

  it("has the origin of the site or of the allow list, whatever is requested", () => {
    const list = ["https://one.example/**", "https://*.two.example/cb", "myapp://callback/**"];
    const origins =
      /^(https:\/\/site\.example\/app([/?#]|$)|https:\/\/one\.example\/|https:\/\/[^./:@]*\.two\.example\/cb(#|$)|myapp:\/\/callback([/?#]|$))/;
    const pieces = fc.constantFrom(
      "https://",
      "http://",
      "myapp://",
      "javascript:",
      "//",
      "/",
      "\\",
      "@",
      ":",
      "?",
      "#",
      ".",
      "..",
      "%2f",
      "%2e",
      "%00",
      "site.example",
      "one.example",
      "x.two.example",
      "callback",
      "evil.example",
      "/app",
      "/cb",
      "user",
      ":443",
      "\t",
      "\n",
      " ",
      "é",
    );
    const wanted = fc.oneof(
      fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join("")),
      fc.webUrl(),
      fc.string({ unit: ANY_CHARACTER }),
      fc
        .tuple(fc.constantFrom("https://one.example", SITE, "https://a.two.example"), fc.string())
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(wanted, (text) => {
        const chosen = choose(text, list);
        assert.match(chosen, origins);
        assert.equal(new URL(chosen).username, "");
        // Idempotent: the link contains the chosen URL, which is checked again when the link is used.
        assert.equal(choose(chosen, list), chosen === SITE ? SITE : chosen);
      }),
      { numRuns: 3_000 },
    );
  });
});
