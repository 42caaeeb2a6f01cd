import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findLikelyTypos, SETTINGS } from "../../src/config/index.ts";

describe("findLikelyTypos", () => {
  const cases: [string, string][] = [
    ["DATABSE_URL", "DATABASE_URL"],
    ["DATABASE_ULR", "DATABASE_URL"],
    ["TRUSTED_PROXYS", "TRUSTED_PROXIES"],
    ["PROT", "PORT"],
    ["database_url", "DATABASE_URL"],
    ["SERVICE_ROLL_KEY", "SERVICE_ROLE_KEY"],
    ["TLS_CERTFILE", "TLS_CERT_FILE"],
  ];
  for (const [found, meant] of cases) {
    it(`takes ${found} for ${meant}`, () => assert.deepEqual(findLikelyTypos({ [found]: "x" }), [{ found, meant }]));
  }

  it("says nothing about our own names", () => {
    assert.deepEqual(findLikelyTypos(Object.fromEntries(SETTINGS.map((row) => [row.name, "x"]))), []);
  });

  it("says nothing about variables that every machine has, nor about empty ones", () => {
    const names = ["HOME", "PATH", "USER", "PWD", "TERM", "LANG", "SHELL", "HOSTNAME", "LOGNAME", "SSL_CERT_FILE"];
    assert.deepEqual(findLikelyTypos(Object.fromEntries(names.map((name) => [name, "x"]))), []);
    assert.deepEqual(findLikelyTypos({ DATABSE_URL: "" }), []);
  });

  it("names the nearest of several", () => {
    assert.deepEqual(findLikelyTypos({ TLS_KEY_FIL: "x" }), [{ found: "TLS_KEY_FIL", meant: "TLS_KEY_FILE" }]);
  });
});
