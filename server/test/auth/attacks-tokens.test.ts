import assert from "node:assert/strict";
import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type SignKeyObjectInput,
  sign,
} from "node:crypto";
import { describe, it } from "node:test";
import { type Client, serveAuth } from "./attack-server.ts";
import { type ShownSession, signIn, signUp, updateUser } from "./support/accounts.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";

type Parts = Record<string, unknown>;

function encode(part: Parts): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

function decode(token: string, place: 0 | 1): Parts {
  return JSON.parse(Buffer.from(token.split(".")[place] ?? "", "base64url").toString()) as Parts;
}

function signWith(key: SignKeyObjectInput, header: Parts, claims: Parts): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), key).toString("base64url")}`;
}

function signWithSecret(secret: string | Buffer, header: Parts, claims: Parts): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

async function open(
  t: Parameters<typeof serveAuth>[0],
): Promise<{ auth: TestAuthContext; ask: Client; ada: ShownSession }> {
  const auth = await createAuthContext(t);
  return { auth, ask: await serveAuth(t, auth), ada: await signUp(auth, "ada@example.com") };
}

describe("a forged token", () => {
  it("is rejected, whatever its header contains", async (t) => {
    const { auth, ask, ada } = await open(t);
    const header = decode(ada.access_token, 0);
    const claims = decode(ada.access_token, 1);
    const [jwk] = auth.context.keyRing.jwks;
    const pem = createPublicKey({ key: jwk as JsonWebKey, format: "jwk" }).export({ format: "pem", type: "spki" });
    const thief = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const own = thief.publicKey.export({ format: "jwk" });
    const mine: SignKeyObjectInput = { key: thief.privateKey, dsaEncoding: "ieee-p1363" };
    const [, payload = "", signature = ""] = ada.access_token.split(".");

    const forged: Record<string, string> = {
      "alg none": `${encode({ alg: "none", typ: "JWT" })}.${payload}.`,
      "alg none with a signature": `${encode({ alg: "none", typ: "JWT" })}.${payload}.${signature}`,
      "alg none with the key's id": `${encode({ ...header, alg: "none" })}.${payload}.${signature}`,
      "alg in odd case": `${encode({ ...header, alg: "es256" })}.${payload}.${signature}`,
      "HS256 with the PEM as secret": signWithSecret(pem, { ...header, alg: "HS256" }, claims),
      "HS256 with the JWK as secret": signWithSecret(JSON.stringify(jwk), { ...header, alg: "HS256" }, claims),
      "HS256 with the anon key as secret": signWithSecret(auth.anonKey, { alg: "HS256" }, claims),
      "HS256 with nothing as secret": signWithSecret("", { alg: "HS256" }, claims),
      "own key under the server's id": signWith(mine, header, claims),
      "own key in jwk": signWith(mine, { alg: "ES256", jwk: own }, claims),
      "own key in jwk under the server's id": signWith(mine, { ...header, jwk: own }, claims),
      "own key by jku": signWith(mine, { ...header, jku: "https://127.0.0.1:1/keys" }, claims),
      "own key by x5u": signWith(mine, { ...header, x5u: "https://127.0.0.1:1/cert", x5c: ["AAAA"] }, claims),
      "id that is a path": signWithSecret("", { alg: "HS256", kid: "../../../../dev/null" }, claims),
      "id that is SQL": signWithSecret("x", { alg: "HS256", kid: "' union select 'x" }, claims),
      "id of the prototype": signWithSecret("", { alg: "HS256", kid: "__proto__" }, claims),
      "critical extension": `${encode({ ...header, crit: ["b64"], b64: false })}.${payload}.${signature}`,
      "zero signature": `${encode(header)}.${payload}.${Buffer.alloc(64).toString("base64url")}`,
      "another role": `${encode(header)}.${encode({ ...claims, role: "service_role" })}.${signature}`,
      "without a user": `${encode(header)}.${encode({ role: "service_role", exp: claims["exp"] })}.${signature}`,
      "service role by the own key": signWith(mine, header, { role: "service_role", exp: claims["exp"] }),
    };
    for (const [name, token] of Object.entries(forged)) {
      for (const [method, path] of [
        ["GET", "/user"],
        ["GET", "/admin/users"],
      ] as const) {
        const answer = await ask(method, path, { token, apikey: auth.serviceRoleKey });
        assert.equal(answer.status, 401, `${name} at ${path}`);
        assert.deepEqual([answer.json["code"], answer.json["error_code"]], ["UNAUTHORIZED", "bad_jwt"], name);
        assert.match(answer.headers["www-authenticate"] ?? "", /error="invalid_token"/);
        assert.equal(answer.headers["x-sb-error-code"], "bad_jwt");
      }
    }
  });
});

describe("a genuine token in the wrong place", () => {
  it("grants only its own rights", async (t) => {
    const { auth, ask, ada } = await open(t);
    const asUser = { token: ada.access_token, apikey: auth.serviceRoleKey };
    assert.equal((await ask("GET", "/user", asUser)).json["id"], ada.user.id);
    assert.equal((await ask("GET", "/admin/users", asUser)).json["error_code"], "not_admin");
    const byService = { token: auth.serviceRoleKey };
    assert.equal((await ask("GET", "/admin/users", byService)).status, 200, "the bearer's role wins over the key's");
    assert.equal((await ask("GET", "/user", byService)).status, 401);
    assert.equal((await ask("GET", "/user", { token: auth.anonKey })).status, 401);
    assert.equal((await ask("GET", "/admin/users", { token: auth.anonKey })).status, 403);
    // Access tokens and refresh tokens are not API keys.
    for (const apikey of [
      ada.access_token,
      ada.refresh_token,
      `${auth.anonKey} `.repeat(2),
      auth.anonKey.slice(0, -1),
    ]) {
      assert.equal((await ask("GET", "/settings", { apikey })).status, 401);
      assert.equal((await ask("POST", "/signup", { apikey, body: {} })).status, 401);
    }
    assert.equal((await ask("GET", "/user", { token: ada.refresh_token })).status, 401);
  });

  it("grants no more rights by the role or the metadata of the account", async (t) => {
    const { auth, ask, ada } = await open(t);
    const asService = { token: auth.serviceRoleKey };
    for (const role of [
      "service_role",
      "anon",
      "supabase_admin",
      "postgres",
      "swarmbase_owner",
      "sb_service",
      "none",
    ]) {
      const answer = await ask("PUT", `/admin/users/${ada.user.id}`, { ...asService, body: { role } });
      assert.equal(answer.json["error_code"], "validation_failed", role);
    }
    await ask("PUT", `/admin/users/${ada.user.id}`, { ...asService, body: { role: "editor" } });
    await updateUser(auth, ada.access_token, { data: { role: "service_role", is_admin: true, aal: "aal2", sub: "x" } });
    const { access_token: token } = await signIn(auth, "ada@example.com");
    assert.equal(decode(token, 1)["role"], "editor");
    assert.equal(decode(token, 1)["aal"], "aal1");
    assert.equal((await ask("GET", "/admin/users", { token })).status, 403);
    assert.equal(
      (await ask("PUT", "/user", { token, body: { app_metadata: { x: 1 } } })).json["error_code"],
      "not_admin",
    );
    for (const body of [{ role: "service_role" }, { aal: "aal2" }, { email_confirmed_at: "x" }, { id: "x" }]) {
      const answer = await ask("PUT", "/user", { token, body });
      assert.deepEqual([answer.status, answer.json["role"], answer.json["id"]], [200, "editor", ada.user.id]);
    }
  });
});

describe("a token of an ended session or a deleted user", () => {
  for (const [how, end] of Object.entries({
    "signed out": (ask: Client, ada: ShownSession) => ask("POST", "/logout", { token: ada.access_token }),
    banned: (ask: Client, { user }: ShownSession, token: string) =>
      ask("PUT", `/admin/users/${user.id}`, { token, body: { ban_duration: "24h" } }),
    "deleted softly": (ask: Client, { user }: ShownSession, token: string) =>
      ask("DELETE", `/admin/users/${user.id}`, { token, body: { should_soft_delete: true } }),
    deleted: (ask: Client, { user }: ShownSession, token: string) =>
      ask("DELETE", `/admin/users/${user.id}`, { token, body: {} }),
    "given a new password": (ask: Client, { user }: ShownSession, token: string) =>
      ask("PUT", `/admin/users/${user.id}`, { token, body: { password: "another one" } }),
  })) {
    it(`opens nothing: ${how}`, async (t) => {
      const { auth, ask, ada } = await open(t);
      const second = await signIn(auth, "ada@example.com");
      assert.equal((await ask("GET", "/user", { token: second.access_token })).status, 200, "remembered as verified");
      assert.ok((await end(ask, ada, auth.serviceRoleKey)).status < 300);
      for (const { access_token: token, refresh_token } of [ada, second]) {
        for (const [method, path] of [
          ["GET", "/user"],
          ["PUT", "/user"],
          ["POST", "/factors"],
          ["POST", "/logout"],
        ] as const) {
          assert.equal((await ask(method, path, { token, body: {} })).status, 401, `${method} ${path}`);
        }
        const answer = await ask("POST", "/token?grant_type=refresh_token", { body: { refresh_token } });
        assert.equal(answer.status, 400);
        assert.match(String(answer.json["code"]), /^(refresh_token_not_found|user_banned)$/);
      }
    });
  }
});
