import assert from "node:assert/strict";
import { createHmac, createPublicKey, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { createLocalJWKSet, jwtVerify, SignJWT } from "jose";
import { importSigningKey } from "../../src/auth/index.ts";
import { signAccessToken } from "../../src/auth/tokens/access-token.ts";
import { TOKEN_MAX_LENGTH } from "../../src/auth/tokens/verify-signed-token.ts";
import { AppError } from "../../src/errors/index.ts";
import { openTokenContext, type TokenContext, verifyAccessToken } from "./token-context.ts";

const USER = randomUUID();
const SESSION = randomUUID();
const SECRET = "super-secret-jwt-token-with-at-least-32-characters-long";

let context: TokenContext;
let token: string;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  context = await openTokenContext({ after: (close) => closers.unshift(close) });
  token = await context.tokenOf(USER, SESSION);
});
after(async () => {
  for (const close of closers) await close();
});

const verifying = (text: string) => verifyAccessToken(context.ring, text, context.clock);
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const claims = () => context.claimsOf(USER, SESSION);

/** Signs any header and claims with the current key. */
function forge(payload: unknown, header: Record<string, unknown> = {}): string {
  const { kid, privateKey: key } = context.keys.currentSigningKey;
  const signed = `${encode({ alg: "ES256", typ: "JWT", kid, ...header })}.${encode(payload)}`;
  const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}

function hmacToken(secret: string | Buffer, header: Record<string, unknown>, payload: unknown = claims()): string {
  const signed = `${encode({ typ: "JWT", ...header })}.${encode(payload)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

async function assertRejected(text: string, reason: RegExp, upstreamCode: string, name?: string): Promise<void> {
  await assert.rejects(
    verifying(text),
    (error: unknown) => {
      assert.ok(error instanceof AppError, String(error));
      assert.equal(error.status, 401);
      assert.equal(error.code, "UNAUTHORIZED");
      assert.match(error.message, reason);
      assert.equal(error.extra.upstreamCode, upstreamCode);
      assert.equal(error.extra.members?.["error_code"], "bad_jwt");
      return true;
    },
    name,
  );
}
const malformed = (text: string, name?: string) => assertRejected(text, /unable to parse or verify/, "PGRST301", name);

describe("an access token", () => {
  it("names its key and verifies with the public JWKS", async () => {
    assert.deepEqual(await verifying(token), claims());
    const verified = await jwtVerify(token, createLocalJWKSet({ keys: [...context.ring.jwks] }), {
      currentDate: context.clock.now(),
      audience: "authenticated",
    });
    assert.deepEqual(verified.payload, claims());
    assert.deepEqual(verified.protectedHeader, { alg: "ES256", kid: context.ring.current.kid, typ: "JWT" });
  });

  it("is rejected from the second of its expiry on", async () => {
    const at = (exp: unknown) => forge({ ...claims(), exp });
    await verifying(at(context.nowSeconds() + 1));
    for (const exp of [context.nowSeconds(), context.nowSeconds() - 1, 0, -1]) {
      await assertRejected(at(exp), /^JWT expired$/, "PGRST303");
    }
    for (const exp of [undefined, null, "9999999999", true, [9999999999]]) {
      await assertRejected(at(exp), /claims are not valid/, "PGRST303", String(exp));
    }
    const endless = `{"sub":"${USER}","role":"authenticated","exp":1e999}`;
    const { kid, privateKey: key } = context.keys.currentSigningKey;
    const signed = `${encode({ alg: "ES256", kid })}.${Buffer.from(endless).toString("base64url")}`;
    const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" }).toString("base64url");
    await assertRejected(`${signed}.${signature}`, /claims are not valid/, "PGRST303");
  });

  it("may be issued up to ten seconds in the future", async () => {
    for (const name of ["nbf", "iat"]) {
      await verifying(forge({ ...claims(), [name]: context.nowSeconds() + 10 }));
      await assertRejected(forge({ ...claims(), [name]: context.nowSeconds() + 11 }), /not yet valid/, "PGRST303");
      await assertRejected(forge({ ...claims(), [name]: "soon" }), /claims are not valid/, "PGRST303");
    }
  });

  it("must have our audience, when it has one", async () => {
    await verifying(forge({ ...claims(), aud: ["other", "authenticated"] }));
    await verifying(forge({ ...claims(), aud: undefined }));
    for (const aud of ["other", ["other"], [], "", null, 1]) {
      await assertRejected(forge({ ...claims(), aud }), /another audience/, "PGRST303", JSON.stringify(aud));
    }
  });

  it("must have a UUID as sub and as session_id", async () => {
    for (const sub of [undefined, ""]) await assertRejected(forge({ ...claims(), sub }), /missing sub/, "PGRST303");
    for (const sub of [null, 7, "admin", `${USER}'`, `${USER}\0`, ` ${USER}`, { $ne: 1 }, [USER]]) {
      await assertRejected(forge({ ...claims(), sub }), /claims are not valid/, "PGRST303", JSON.stringify(sub));
    }
    for (const role of [undefined, "", 1, null]) {
      await assertRejected(forge({ ...claims(), role }), /claims are not valid/, "PGRST303");
    }
    for (const session_id of [null, 5, "x", `${SESSION} `]) {
      await assertRejected(forge({ ...claims(), session_id }), /claims are not valid/, "PGRST303");
    }
    assert.equal((await verifying(forge({ ...claims(), session_id: undefined }))).session_id, "");
  });

  it("may lack optional claims and keeps additional ones", async () => {
    const sparse = { sub: USER.toUpperCase(), role: "authenticated", exp: claims().exp, amr: ["pwd", 1], org: "acme" };
    const found = await verifying(forge({ ...sparse, app_metadata: "x", user_metadata: [1], aal: "aal9", email: 1 }));
    assert.deepEqual(found, {
      ...claims(),
      iss: "",
      iat: 0,
      email: "",
      app_metadata: {},
      user_metadata: {},
      amr: [],
      session_id: "",
      org: "acme",
    });
    const polluted = await verifying(
      forge(JSON.parse(`{"__proto__":{"isAdmin":true},${JSON.stringify(claims()).slice(1)}`)),
    );
    assert.equal(Reflect.get({}, "isAdmin"), undefined);
    assert.equal(Reflect.get(polluted, "isAdmin"), undefined);
  });
});

describe("a signature", () => {
  it("with no algorithm, another algorithm or another key is rejected", async () => {
    const { kid } = context.ring.current;
    for (const alg of ["none", "None", "NONE", "nOnE"]) {
      await malformed(`${encode({ alg, kid })}.${encode(claims())}.`);
      await malformed(`${encode({ alg, kid })}.${encode(claims())}.AA`);
    }
    for (const alg of ["RS256", "HS256", "ES384", "EdDSA", "PS256", "es256", "", null, undefined, ["ES256"]]) {
      await malformed(forge(claims(), { alg }), String(alg));
    }
    const other = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const impostor = await new SignJWT({ ...claims() })
      .setProtectedHeader({ alg: "ES256", kid })
      .sign(other.privateKey);
    await malformed(impostor);
    await malformed(forge(claims(), { crit: ["exp"] }));
    const inHeader = {
      jwk: other.publicKey.export({ format: "jwk" }),
      jku: "https://evil.test/jwks",
      x5u: "https://evil.test",
    };
    const signed = `${encode({ alg: "ES256", kid, ...inHeader })}.${encode(claims())}`;
    const own = sign("sha256", Buffer.from(signed), { key: other.privateKey, dsaEncoding: "ieee-p1363" });
    await malformed(`${signed}.${own.toString("base64url")}`);
  });

  it("made with the public key as a secret is rejected", async () => {
    const { kid } = context.ring.current;
    const [jwk] = context.ring.jwks;
    assert.ok(jwk !== undefined);
    const publicKey = createPublicKey({ key: jwk, format: "jwk" });
    const pem = publicKey.export({ format: "pem", type: "spki" }).toString();
    const secrets = [
      pem,
      pem.trim(),
      publicKey.export({ format: "der", type: "spki" }),
      JSON.stringify(jwk),
      JSON.stringify({ keys: [jwk] }),
      JSON.stringify(publicKey.export({ format: "jwk" })),
      Buffer.from(jwk.x ?? "", "base64url"),
      "",
    ];
    for (const secret of secrets) {
      await malformed(hmacToken(secret, { alg: "HS256", kid }));
      await malformed(hmacToken(secret, { alg: "HS256" }));
      await malformed(hmacToken(secret, { alg: "ES256", kid }));
    }
  });

  it("with an unknown, missing or malformed key id is rejected", async () => {
    for (const kid of [
      "",
      "nobody",
      "../../etc/passwd",
      "%2e%2e/",
      "' or 1=1 --",
      "\0",
      "é",
      "k".repeat(100_000 / 2),
    ]) {
      await malformed(forge(claims(), { kid }), kid.slice(0, 40));
    }
    for (const kid of [undefined, null, 1, {}, ["x"], "__proto__", "constructor"]) {
      await malformed(forge(claims(), { kid }), JSON.stringify(kid));
    }
    const roleKey = context.keys.signingKeys.find(({ purpose }) => purpose === "role_key");
    await malformed(forge(claims(), { kid: roleKey?.kid }), "a key of another purpose");
    await malformed(context.keys.serviceRoleKey, "a role key is good by being on the list, not by its signature");
  });

  it("with any changed character is rejected", async () => {
    const start = token.lastIndexOf(".") + 1;
    for (let place = start; place < token.length; place += 5) {
      const other = token[place] === "A" ? "B" : "A";
      await malformed(token.slice(0, place) + other + token.slice(place + 1), `at ${place}`);
    }
    // The last character has bits that decoders ignore.
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (const last of alphabet) {
      if (last !== token.at(-1)) await malformed(token.slice(0, -1) + last, `ends with ${last}`);
    }
    const der = sign("sha256", Buffer.from(token.slice(0, start - 1)), context.keys.currentSigningKey.privateKey);
    await malformed(`${token.slice(0, start)}${der.toString("base64url")}`, "DER");
    await malformed(`${token.slice(0, start)}${Buffer.alloc(64).toString("base64url")}`, "zeros");
  });
});

describe("a text", () => {
  it("that is not a token is rejected", async () => {
    const [header = "", payload = "", signature = ""] = token.split(".");
    for (const text of [
      "",
      ".",
      "..",
      "...",
      "undefined",
      "null",
      header,
      `${header}.${payload}`,
      `${header}.${payload}.`,
      `.${payload}.${signature}`,
      `${header}..${signature}`,
      `${token}.`,
      `.${token}`,
      `${token}.${signature}`,
      `${header}.${payload}.${signature}.AA.BB`,
      token.slice(0, -1),
      token.slice(0, token.length / 2),
      `${token}=`,
      `${token} `,
      `${token}\n`,
      ` ${token}`,
      `${token}\0`,
      token.replace(".", "．"),
      token.replace("e", "е"),
      `${header}.${payload}+.${signature}`,
      `${encode([])}.${payload}.${signature}`,
      `${encode("x")}.${payload}.${signature}`,
      `${encode(null)}.${payload}.${signature}`,
      `bm90LWpzb24.${payload}.${signature}`,
      "😀.😀.😀",
    ]) {
      await malformed(text, JSON.stringify(text.slice(0, 60)));
    }
    await malformed(forge([claims()]), "claims that are a list");
    await malformed(forge("claims"), "claims that are a text");
  });

  it("that is too long is rejected before it is parsed", async () => {
    const filler = (length: number) => ({ ...claims(), user_metadata: { note: "x".repeat(length) } });
    const large = await signAccessToken(context.ring, filler(64 * 1024));
    assert.ok(large.length < TOKEN_MAX_LENGTH, "the largest that the limits of metadata allow is one that we take");
    await verifying(large);
    const over = forge(filler(TOKEN_MAX_LENGTH));
    await malformed(over);
    const before = process.threadCpuUsage();
    await malformed("a.".repeat(5_000_000));
    assert.ok(process.threadCpuUsage(before).user < 1_000_000, "it is read for a second");
  });
});

describe("an imported secret", () => {
  it("verifies its tokens, with and without a key id while it is the only one", async (t) => {
    const own = await openTokenContext(t);
    const importSecret = (text: string, kid: string | null) =>
      importSigningKey(own.database.owner, {
        masterKey: own.database.masterKey,
        clock: own.clock,
        file: { algorithm: "HS256", text, kid },
        isCurrent: false,
      });
    const check = (text: string) => verifyAccessToken(own.ring, text, own.clock);
    const payload = own.claimsOf(USER, SESSION);
    await assert.rejects(check(hmacToken(SECRET, { alg: "HS256" }, payload)));

    const { kid } = await importSecret(`${SECRET}\n`, null);
    await own.ring.reload();
    assert.equal((await check(hmacToken(SECRET, { alg: "HS256" }, payload))).sub, USER);
    assert.equal((await check(hmacToken(SECRET, { alg: "HS256", kid }, payload))).sub, USER);
    await assert.rejects(check(hmacToken(SECRET, { alg: "HS256", kid: "other" }, payload)));
    await assert.rejects(check(hmacToken(`${SECRET}x`, { alg: "HS256" }, payload)));
    await assert.rejects(check(hmacToken(SECRET, { alg: "ES256", kid }, payload)));
    assert.deepEqual(
      own.ring.jwks.map((jwk) => jwk.kty),
      ["EC"],
      "a secret is not listed",
    );

    await importSecret(`another-${SECRET}`, "legacy-2");
    await own.ring.reload();
    await assert.rejects(check(hmacToken(SECRET, { alg: "HS256" }, payload)), "which of two is not guessed");
    await check(hmacToken(`another-${SECRET}`, { alg: "HS256", kid: "legacy-2" }, payload));
  });
});
