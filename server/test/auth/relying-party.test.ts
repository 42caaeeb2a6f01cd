import assert from "node:assert/strict";
import { it } from "node:test";
import { findRelyingParty } from "../../src/auth/webauthn/relying-party.ts";

interface Given {
  readonly rpId?: string;
  readonly origins?: readonly string[];
  readonly siteUrl?: string;
  readonly baseUrl?: string;
}

function find({ rpId, origins, siteUrl, baseUrl = "https://localhost:8443" }: Given) {
  const settings = {
    authPasskeysRpId: rpId ?? null,
    authPasskeysOrigins: origins ?? null,
    siteUrl: siteUrl ?? null,
    redirectAllowList: [],
  };
  return findRelyingParty({ settings, baseUrl });
}

it("the relying party is the site, or else the service itself", () => {
  assert.deepEqual(find({}), { id: "localhost", origins: ["https://localhost:8443"] });
  const siteUrl = "https://app.example.com/start?a=1";
  assert.deepEqual(find({ siteUrl }), { id: "app.example.com", origins: ["https://app.example.com"] });
  assert.deepEqual(find({ siteUrl: "http://localhost:5173" }), {
    id: "localhost",
    origins: ["http://localhost:5173", "https://localhost:8443"],
  });
});

it("a domain above the site includes the service where it is below the domain too", () => {
  const siteUrl = "https://app.example.com";
  const both = { id: "example.com", origins: ["https://app.example.com", "https://api.example.com"] };
  assert.deepEqual(find({ rpId: "Example.com", siteUrl, baseUrl: "https://api.example.com" }), both);
  assert.deepEqual(find({ rpId: "example.com", siteUrl, baseUrl: "https://example.org" })?.origins, [siteUrl]);
  const origins = ["https://www.example.com"];
  assert.deepEqual(find({ rpId: "example.com", origins, siteUrl })?.origins, origins);
});

it("there is none for IP addresses, plain HTTP, top-level domains and foreign pages", () => {
  for (const given of [
    { baseUrl: "https://127.0.0.1:8443" },
    { baseUrl: "https://[::1]" },
    { baseUrl: "http://app.example.com" },
    { baseUrl: "https://intranet" },
    { rpId: "example.com", siteUrl: "https://notexample.com" },
    { rpId: "app.example.com", siteUrl: "https://example.com" },
  ])
    assert.equal(find(given), null);
});
