import assert from "node:assert/strict";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { openAdmin, openClient, PASSWORD, type SignedUp, signUpNew } from "./support/clients.ts";
import { NEEDS_FOLDER } from "./support/given-service.ts";
import { type Answer, folderOf, runCommand, type Service, startService } from "./support/service.ts";
import { QUICK_HASHES } from "./support/settings.ts";
import { type Claims, type Forged, forgeToken, readToken, signWithCurve, signWithSecret } from "./support/tokens.ts";

let service: Service;
let ada: SignedUp;
before(async () => {
  service = await startService(QUICK_HASHES, { isAlone: true });
  ada = await signUpNew(service);
});
after(() => service?.stop());

function ask(path: string, headers: Record<string, string>, method = "GET"): Promise<Answer> {
  return service.request(path, { method, headers });
}

function askAs(token: string, path = "/auth/v1/user"): Promise<Answer> {
  return ask(path, { apikey: service.credentials.anon_key, authorization: `Bearer ${token}` });
}

/** Checks the body of section 7.1; other members are allowed. */
function assertRejected(answer: Answer, status: 401 | 403, about: string): void {
  assert.equal(answer.status, status, `${about}: ${answer.text}`);
  assert.match(answer.headers["content-type"] ?? "", /^application\/json/, about);
  assert.equal(answer.body["code"], status === 401 ? "UNAUTHORIZED" : "FORBIDDEN", about);
  assert.equal(answer.body["error"], status === 401 ? "Unauthorized" : "Forbidden", about);
  assert.equal(typeof answer.body["message"], "string", about);
  assert.notEqual(answer.body["message"], "", about);
  assert.equal(answer.headers["access-control-allow-origin"], "*", about);
}

test("5.1 a call without the client key, or with a wrong one, returns 401", async () => {
  const authorization = `Bearer ${ada.session.access_token}`;
  const { anon_key: key } = service.credentials;
  const changed = `${key.slice(0, -2)}${key.at(-2) === "A" ? "B" : "A"}${key.slice(-1)}`;
  const cases: [string, Record<string, string>][] = [
    ["none", { authorization }],
    ["empty", { authorization, apikey: "" }],
    ["nonsense", { authorization, apikey: "nonsense" }],
    ["one character off", { authorization, apikey: changed }],
    ["an access token", { authorization, apikey: ada.session.access_token }],
    ["two of them", { authorization, apikey: `${key}, ${key}` }],
  ];
  for (const [about, headers] of cases) {
    assertRejected(await ask("/auth/v1/user", headers), 401, about);
    assertRejected(await ask("/auth/v1/token?grant_type=password", headers, "POST"), 401, about);
  }
  assert.equal((await ask("/auth/v1/user", { authorization, apikey: key })).status, 200);
});

test("5.1 a body must be JSON with a JSON Content-Type", async () => {
  const { client, email } = await signUpNew(service);
  await client.auth.signOut();
  const send = (type: string, body: string) =>
    service.request("/auth/v1/token?grant_type=password", {
      method: "POST",
      headers: { apikey: service.credentials.anon_key, "content-type": type },
      body,
    });
  const body = JSON.stringify({ email, password: PASSWORD });
  const foreign = await send("application/pdf", body);
  assert.equal(foreign.status, 415, foreign.text);
  assert.equal(foreign.body["code"], "UNSUPPORTED_MEDIA_TYPE");
  // A cross-origin request that needs no preflight must not sign anybody in.
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
    const answer = await send(type, body);
    assert.ok([400, 415].includes(answer.status), `${type}: ${answer.text}`);
  }
  for (const broken of ["{", "[]", "null", '"text"', '{"email":1,"password":{}}', "\u0000"]) {
    const answer = await send("application/json", broken);
    assert.equal(answer.status, 400, `${broken}: ${answer.text}`);
    assert.equal(typeof answer.body["message"], "string");
  }
  assert.equal((await send("application/json", body)).status, 200);
});

test("5.7 a missing Authorization header returns 401", async () => {
  const { anon_key: apikey, service_role_key: serviceKey } = service.credentials;
  for (const path of ["/auth/v1/user", "/auth/v1/reauthenticate", "/auth/v1/admin/users"]) {
    assertRejected(await ask(path, { apikey }), 401, path);
  }
  assertRejected(await ask("/auth/v1/logout", { apikey }, "POST"), 401, "sign-out");
  assertRejected(await askAs(apikey), 401, "the client key is nobody's token");
  assertRejected(await askAs(serviceKey), 401, "the service role is no user");
});

test("5.7 a malformed token returns 401", async () => {
  const [header = "", payload = "", signature = ""] = ada.session.access_token.split(".");
  const cases: Record<string, string> = {
    "a word": "nonsense",
    "two parts": `${header}.${payload}`,
    "four parts": `${header}.${payload}.${signature}.${signature}`,
    "no signature": `${header}.${payload}.`,
    "a header that is no JSON": `${Buffer.from("nonsense").toString("base64url")}.${payload}.${signature}`,
    "half a token": ada.session.access_token.slice(0, 100),
    "a very long word": "a".repeat(200_000),
  };
  for (const [about, token] of Object.entries(cases)) assertRejected(await askAs(token), 401, about);
  const { anon_key: apikey } = service.credentials;
  for (const authorization of ["Bearer", "Bearer ", ada.session.access_token, `Basic ${ada.session.access_token}`]) {
    assertRejected(await ask("/auth/v1/user", { apikey, authorization }), 401, authorization.slice(0, 10));
  }
});

test("5.7 a token with an invalid signature returns 401, whoever signed it", async () => {
  const { header, claims } = readToken(ada.session.access_token);
  const keys = await service.request("/auth/v1/.well-known/jwks.json");
  const [publicKey] = keys.body["keys"] as unknown[];
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const [signedHeader, signedPayload, signature = ""] = ada.session.access_token.split(".");
  const otherClaims = { ...claims, sub: "00000000-0000-4000-8000-000000000000", role: "service_role" };
  const encoded = Buffer.from(JSON.stringify(otherClaims)).toString("base64url");
  const forge = (forged: Partial<Forged>) =>
    forgeToken({ header, claims, signWith: signWithCurve(privateKey), ...forged });
  const cases: Record<string, string> = {
    "another key under the same id": forge({}),
    "another key under its own id": forge({ header: { ...header, kid: "mine" } }),
    "a key that the token brings along": forge({
      header: { alg: "ES256", jwk: privateKey.export({ format: "jwk" }), jku: "https://localhost/keys" },
    }),
    "no algorithm": forge({ header: { ...header, alg: "none" }, signWith: () => Buffer.alloc(0) }),
    "no algorithm, with a signature": forge({ header: { ...header, alg: "none" } }),
    "the public key as a secret": forge({
      header: { ...header, alg: "HS256" },
      signWith: signWithSecret(JSON.stringify(publicKey)),
    }),
    "claims that were changed": `${signedHeader}.${encoded}.${signature}`,
    "one character of the signature": `${signedHeader}.${signedPayload}.${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`,
  };
  for (const [about, token] of Object.entries(cases)) {
    assertRejected(await askAs(token), 401, about);
    assertRejected(await askAs(token, "/auth/v1/admin/users"), 401, about);
  }
  assert.equal((await askAs(ada.session.access_token)).status, 200);
});

test("5.7 an expired token and one that is not yet valid return 401", { skip: NEEDS_FOLDER }, async (t) => {
  const secret = randomBytes(32).toString("hex");
  const file = join(folderOf(service), "imported.secret");
  await writeFile(file, secret, { mode: 0o600 });
  t.after(() => rm(file));
  await runCommand(service, ["keys", "import", "--algorithm", "HS256", "--file", file, "--kid", "imported"]);

  const nowSeconds = Math.floor(Date.now() / 1000);
  const { claims } = readToken(ada.session.access_token);
  const make = (changes: Claims) =>
    forgeToken({
      header: { alg: "HS256", kid: "imported" },
      claims: { ...claims, ...changes },
      signWith: signWithSecret(secret),
    });
  // A running service loads keys that were created outside of it after a short delay.
  while ((await askAs(make({}))).status !== 200) await wait(50);
  const expired = await askAs(make({ iat: nowSeconds - 7200, exp: nowSeconds - 1 }));
  assertRejected(expired, 401, "expired");
  assert.match(String(expired.body["message"]), /expired/i);
  assert.match(expired.headers["www-authenticate"] ?? "", /^Bearer\b/);
  const cases: Record<string, Claims> = {
    "not yet valid": { nbf: nowSeconds + 600 },
    "issued in the future": { iat: nowSeconds + 600 },
    "without an end": { exp: undefined },
    "for somebody else": { aud: "another service" },
    "without a user": { sub: undefined },
    "with a user that never was": { sub: "00000000-0000-4000-8000-000000000000" },
    "with a session that never was": { session_id: "00000000-0000-4000-8000-000000000000" },
  };
  for (const [about, changes] of Object.entries(cases)) assertRejected(await askAs(make(changes)), 401, about);

  await runCommand(service, ["keys", "revoke", "imported"]);
});

test("5.4 rotating the signing keys signs nobody out", { skip: NEEDS_FOLDER }, async () => {
  const { client, session } = await signUpNew(service);
  const before = readToken(session.access_token).header["kid"];
  const said = await runCommand(service, ["keys", "rotate", "signing"]);
  assert.equal((await askAs(session.access_token)).status, 200, "tokens of the old key stay good");
  const { keys } = (await service.request("/auth/v1/.well-known/jwks.json")).body as { keys: Claims[] };
  assert.ok(keys.some(({ kid }) => kid === before));
  assert.doesNotMatch(said, new RegExp(String(before)));
  assert.equal((await client.auth.refreshSession()).error, null);
});

test("5.7 insufficient role is 403", async () => {
  const { anon_key: apikey } = service.credentials;
  const { id } = ada.session.user;
  const calls: [string, string][] = [
    ["GET", "/auth/v1/admin/users"],
    ["POST", "/auth/v1/admin/users"],
    ["GET", `/auth/v1/admin/users/${id}`],
    ["PUT", `/auth/v1/admin/users/${id}`],
    ["DELETE", `/auth/v1/admin/users/${id}`],
    ["POST", "/auth/v1/admin/generate_link"],
    ["POST", "/auth/v1/invite"],
  ];
  for (const [method, path] of calls) {
    for (const token of [ada.session.access_token, apikey]) {
      assertRejected(await ask(path, { apikey, authorization: `Bearer ${token}` }, method), 403, `${method} ${path}`);
    }
  }
  for (const client of [ada.client, openClient(service)]) {
    const { error } = await client.auth.admin.listUsers();
    assert.deepEqual([error?.status, error?.code], [403, "not_admin"]);
  }
  assert.equal((await openAdmin(service).auth.admin.getUserById(id)).error, null);
});

test("5.7 a user cannot elevate their own role", async () => {
  const { apikey, authorization, ...rest } = {
    apikey: service.credentials.anon_key,
    authorization: `Bearer ${ada.session.access_token}`,
    "content-type": "application/json",
  };
  const answer = await service.request("/auth/v1/user", {
    method: "PUT",
    headers: { apikey, authorization, ...rest },
    body: JSON.stringify({ app_metadata: { admin: true }, role: "service_role", data: { role: "service_role" } }),
  });
  assertRejected(answer, 403, "app_metadata");
  const body = (await askAs(ada.session.access_token)).body;
  assert.equal(body["role"], "authenticated");
  assert.deepEqual(body["app_metadata"], { provider: "email", providers: ["email"] });
});

test("5.7 a signed-out token returns 401 with the next request", async () => {
  const { client, session } = await signUpNew(service);
  assert.equal((await askAs(session.access_token)).status, 200);
  assert.equal((await client.auth.signOut()).error, null);
  const answer = await askAs(session.access_token);
  assertRejected(answer, 401, "signed out");
  assert.equal(answer.body["error_code"], "session_not_found");
});

test("5.9 X-Client-Info is accepted, from a browser too", async () => {
  const { anon_key: apikey } = service.credentials;
  const answer = await ask("/auth/v1/user", {
    apikey,
    authorization: `Bearer ${ada.session.access_token}`,
    "x-client-info": "my-application/1.0",
  });
  assert.equal(answer.status, 200);
  for (const path of ["/auth/v1/token?grant_type=password", "/auth/v1/user", "/auth/v1/admin/users"]) {
    const expected = "apikey,authorization,content-type,x-client-info,x-supabase-api-version";
    const preflight = await ask(
      path,
      {
        origin: "https://app.example",
        "access-control-request-method": "PUT",
        "access-control-request-headers": expected,
      },
      "OPTIONS",
    );
    assert.equal(preflight.status, 204, path);
    assert.equal(preflight.headers["access-control-allow-origin"], "*");
    assert.equal(preflight.headers["access-control-allow-headers"], expected);
    assert.match(preflight.headers["access-control-allow-methods"] ?? "", /\bPUT\b/);
  }
});
