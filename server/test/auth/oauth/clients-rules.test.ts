import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  clientHost,
  findRedirectFault,
  isMemorableRedirect,
  isRegisteredRedirect,
  permittedScopes,
} from "../../../src/auth/oauth/clients/client.ts";
import { findDocumentIdFault, readLifetimeSeconds } from "../../../src/auth/oauth/clients/read-document.ts";

describe("a redirect URI", () => {
  it("can be an https URL, a URL of the device, or have a scheme of a domain", () => {
    for (const uri of [
      "https://app.example.com/callback",
      "https://app.example.com",
      "https://app.example.com:8443/callback?from=us",
      "http://127.0.0.1/callback",
      "http://127.0.0.1:33418/",
      "http://[::1]:8080/callback",
      "http://localhost:3000/callback",
      "com.example.app:/callback",
      "com.example.app://callback",
    ])
      assert.equal(findRedirectFault(uri), null, uri);
  });

  it("is refused when two programs could read it differently, or when it leads elsewhere", () => {
    for (const [uri, fault] of [
      ["", /absolute URI/],
      ["/callback", /absolute URI/],
      ["//app.example.com/callback", /absolute URI/],
      ["http://app.example.com/callback", /must be an https URL/],
      ["http://127.0.0.1.example.com/callback", /must be an https URL/],
      ["http://localhost.example.com/callback", /must be an https URL/],
      ["http://localhost@example.com/callback", /user information/],
      ["http://127.0.0.2/callback", /must be an https URL/],
      ["HTTPS://app.example.com/callback", /must be an https URL/],
      ["https:app.example.com/callback", /must be an https URL/],
      ["https:///app.example.com/callback", /must be an https URL/],
      ["https:\\\\app.example.com\\callback", /absolute URI/],
      ["https://app.example.com\\@evil.example/callback", /absolute URI/],
      ["https://app.example.com/call\tback", /absolute URI/],
      [" https://app.example.com/callback", /absolute URI/],
      ["https://äpp.example.com/callback", /absolute URI/],
      ["https://app.example.com/callback#", /fragment/],
      ["https://app.example.com/callback#state", /fragment/],
      ["https://user@app.example.com/callback", /user information/],
      ["https://@app.example.com/callback", /user information/],
      ["https://:@app.example.com/callback", /user information/],
      ["https://*.example.com/callback", /wildcards/],
      ["https://app.example.com/*", /wildcards/],
      ["javascript:alert(1)", /must be an https URL/],
      ["data:text/html,x", /must be an https URL/],
      ["myapp://callback", /must be an https URL/],
      ["file:///etc/passwd", /must be an https URL/],
      [`https://app.example.com/${"x".repeat(2048)}`, /at most 2048/],
    ] as const)
      assert.match(findRedirectFault(uri) ?? "accepted", fault, uri);
  });

  const redirectUris = [
    "https://app.example.com/callback",
    "http://127.0.0.1:1455/callback",
    "http://localhost/callback",
  ];

  it("matches the one that was registered, with any port on the device of the person", () => {
    for (const uri of [
      ...redirectUris,
      "http://127.0.0.1/callback",
      "http://127.0.0.1:49152/callback",
      "http://localhost:8080/callback",
    ])
      assert.equal(isRegisteredRedirect({ redirectUris }, uri), true, uri);
  });

  it("does not match one that is nearly the same", () => {
    for (const uri of [
      "https://app.example.com/callback/",
      "https://app.example.com/callback?x=1",
      "https://app.example.com/callback?",
      "https://app.example.com/Callback",
      "https://app.example.com/callback%2f",
      "https://app.example.com/x/../callback",
      "https://app.example.com//callback",
      "https://app.example.com:443/callback",
      "https://app.example.com:8443/callback",
      "https://app.example.com./callback",
      "https://APP.example.com/callback",
      "https://app.example.com.evil.example/callback",
      "https://evil.example/callback",
      "https://app.example.com@evil.example/callback",
      "https://app.example.com/callback#",
      "http://app.example.com/callback",
      "http://127.0.0.1:1455/callback/",
      "http://127.0.0.1:1455/callback?x=1",
      "http://127.0.0.1:1455@evil.example/callback",
      "http://127.0.0.1:99999/callback",
      "http://127.0.0.1:/callback",
      "http://127.0.0.2:1455/callback",
      "http://[::1]:1455/callback",
      "https://127.0.0.1:1455/callback",
      "http://localhost:1455.evil.example/callback",
      "http://localhost:8080/callback#x",
    ])
      assert.equal(isRegisteredRedirect({ redirectUris }, uri), false, uri);
  });

  it("is remembered only when nobody but the owner of its host receives what is sent there", () => {
    assert.equal(isMemorableRedirect("https://app.example.com/callback"), true);
    for (const uri of [
      "https://localhost/callback",
      "https://app.localhost/callback",
      "https://127.0.0.1/callback",
      "https://127.1/callback",
      "https://[::1]/callback",
      "http://127.0.0.1/callback",
      "com.example.app:/callback",
      "not a URL",
    ])
      assert.equal(isMemorableRedirect(uri), false, uri);
  });
});

describe("the scopes of a client", () => {
  it("include approve and share only when an operator has created the client", () => {
    const all = ["read", "write", "run", "openid", "email", "profile", "offline_access"];
    assert.deepEqual(permittedScopes({ registration: "manual", scopes: null }), [...all, "approve", "share"]);
    assert.deepEqual(permittedScopes({ registration: "document", scopes: null }), all);
    assert.deepEqual(permittedScopes({ registration: "dynamic", scopes: ["share", "approve", "run"] }), ["run"]);
    assert.deepEqual(permittedScopes({ registration: "manual", scopes: ["share", "secrets"] }), ["share"]);
  });
});

describe("the host of a client", () => {
  it("is that of its document, or else of the page that it names", () => {
    const id = "https://app.example.com:8443/client.json";
    assert.equal(
      clientHost({ id, registration: "document", clientUri: "https://other.example" }),
      "app.example.com:8443",
    );
    assert.equal(
      clientHost({ id: "x", registration: "dynamic", clientUri: "https://app.example.com/" }),
      "app.example.com",
    );
    assert.equal(clientHost({ id: "x", registration: "manual", clientUri: null }), null);
  });
});

describe("the address of a document", () => {
  const faultOf = (id: string) => findDocumentIdFault(id, "https://swarmbase.example.com");

  it("is an https URL with a path", () => {
    for (const id of [
      "https://app.example.com/client.json",
      "https://app.example.com:8443/a/b",
      "https://app.example.com/client?version=2",
      "https://[2001:db8::1]/client",
    ])
      assert.equal(faultOf(id), null, id);
  });

  it("has one spelling, and is not of this service", () => {
    for (const id of [
      "http://app.example.com/client.json",
      "http://localhost/client.json",
      "https://app.example.com",
      "https://app.example.com/",
      "https://app.example.com/?client",
      "https://app.example.com:443/client.json",
      "https://APP.example.com/client.json",
      "https://app.example.com/a/../client.json",
      "https://app.example.com/a/./client.json",
      "https://app.example.com/%2e%2e/client.json",
      "https://app.example.com/client.json#",
      "https://app.example.com/client.json#a",
      "https://user@app.example.com/client.json",
      "https://:@app.example.com/client.json",
      "https://app.example.com\\client.json",
      "https://app.example.com/client .json",
      "https://app.example.com/client.json\n",
      "https:/app.example.com/client.json",
      "https://swarmbase.example.com/client.json",
      `https://app.example.com/${"x".repeat(2048)}`,
      "0b5ffd8d-5f0c-4a7e-8f6a-5c1e35be0fe1",
    ])
      assert.notEqual(faultOf(id), null, id);
  });

  it("is read again after the time that its host names, at least five minutes and at most a day", () => {
    for (const [header, seconds] of [
      ["", 3600],
      ["public", 3600],
      ["max-age=900", 900],
      ["public, Max-Age=900, immutable", 900],
      ["s-maxage=900", 3600],
      ["max-age=0", 300],
      ["max-age=99999999999999", 86_400],
      ["max-age=31536000", 86_400],
      ["no-store", 300],
      ["max-age=3600, no-cache", 300],
    ] as const)
      assert.equal(readLifetimeSeconds(header), seconds, header);
  });
});
