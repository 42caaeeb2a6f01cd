import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { buildSignatureBase, createSignedFetch } from "@swarmbase/sdk";
import {
  isSignedWith,
  parseSignature,
  type SignedMessage,
  verifyMessageSignature,
} from "../../src/auth/request-signing/message-signature.ts";
import { AppError } from "../../src/errors/index.ts";

const USER = "019a8000-0000-7000-8000-0000000000a1";
const SECRET = "sbsig_secret";
const NOW = new Date("2026-11-15T12:00:00.900Z");
const CREATED = Math.floor(NOW.getTime() / 1000);
const BODY = '{"name":"Ada"}';
const DIGEST = `sha-256=:${createHash("sha256").update(BODY).digest("base64")}:`;

function messageOf(method: string, target: string, headers: Record<string, string | readonly string[]>): SignedMessage {
  const fields = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat()]));
  return { method, target, fieldValues: (name) => fields.get(name) ?? [] };
}

function verify(message: SignedMessage, body: string, now = NOW) {
  return verifyMessageSignature(message, Buffer.from(body), { key: Buffer.from(SECRET), keyId: USER, now });
}

test("the signature of RFC 9421, B.2.5 is verified", () => {
  const key = Buffer.from(
    "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==",
    "base64",
  );
  const headers = {
    Host: "example.com",
    Date: "Tue, 20 Apr 2021 02:07:55 GMT",
    "Content-Type": "application/json",
    "Signature-Input": 'sig-b25=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"',
    Signature: "sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:",
  };
  const message = messageOf("POST", "/foo?param=Value&Pet=dog", headers);
  const parsed = parseSignature(message);
  assert.equal(parsed.params, '("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"');
  assert.equal(isSignedWith(key, parsed, message), true);
  assert.equal(isSignedWith(Buffer.from("another"), parsed, message), false);
  const other = messageOf("POST", "/foo", { ...headers, Date: "Tue, 20 Apr 2021 02:07:56 GMT" });
  assert.equal(isSignedWith(key, parseSignature(other), other), false);
});

test("the example of the guide is verified", async () => {
  const guide = await readFile(new URL("../../../docs/guides/signed-requests.md", import.meta.url), "utf8");
  const [, target = "", fields = ""] = /```http\nPOST (\S+)\n([^`]+)```/.exec(guide) ?? [];
  const headers = Object.fromEntries(
    fields
      .trim()
      .split("\n")
      .map((line) => line.split(": ") as [string, string]),
  );
  const [, body = "", secret = ""] = /signature of the body `([^`]+)` with the secret `([^`]+)`/.exec(guide) ?? [];
  const { nonce } = verifyMessageSignature(messageOf("POST", target, headers), Buffer.from(body), {
    key: Buffer.from(secret),
    keyId: USER,
    now: new Date(1_794_744_000_000),
  });
  assert.equal(nonce, "k7Fq0bX2mQ9s");
});

/** Signs what is given, also what must be rejected. */
function sign(
  message: SignedMessage,
  params: string,
  values: readonly (readonly [string, string])[],
  label = "sig",
): SignedMessage {
  const mac = createHmac("sha256", SECRET).update(buildSignatureBase(values, params)).digest("base64");
  return {
    ...message,
    fieldValues: (name) =>
      name === "signature-input"
        ? [`${label}=${params}`]
        : name === "signature"
          ? [`sig=:${mac}:`]
          : message.fieldValues(name),
  };
}

const COVERED = '("@method" "@path" "@query" "content-digest")';
const RIGHT = `;created=${CREATED};nonce="abcdefgh";keyid="${USER}"`;
const VALUES = [
  ["@method", "POST"],
  ["@path", "/rest/v1/agents"],
  ["@query", "?select=id"],
  ["content-digest", DIGEST],
] as const;
const POST = messageOf("POST", "/rest/v1/agents?select=id", { "content-digest": DIGEST, host: "api.example.com" });

test("a right signature returns its nonce, and the time until which the nonce is kept", () => {
  for (const more of ["", ';alg="hmac-sha256"', `;expires=${CREATED + 5}`]) {
    const { nonce, expiresAt } = verify(sign(POST, `${COVERED}${RIGHT}${more}`, VALUES), BODY);
    assert.equal(nonce, "abcdefgh");
    assert.equal(expiresAt.getTime(), (CREATED + 360) * 1000);
  }
  const bare = messageOf("GET", "/rest/v1/agents", {});
  const values = [
    ["@method", "GET"],
    ["@path", "/rest/v1/agents"],
    ["@query", "?"],
  ] as const;
  assert.ok(verify(sign(bare, `("@method" "@path" "@query")${RIGHT}`, values), ""));
  for (const skew of [-300, 300]) {
    const params = `${COVERED};created=${CREATED + skew};nonce="abcdefgh";keyid="${USER}"`;
    assert.ok(verify(sign(POST, params, VALUES), BODY));
  }
});

describe("a message signature is rejected", () => {
  const reject = (about: string, code: string, message: SignedMessage, body = BODY): void =>
    void test(about, () =>
      assert.throws(
        () => verify(message, body),
        (error: AppError) => {
          assert.ok(error instanceof AppError, String(error));
          assert.deepEqual(
            [error.status, error.code],
            [401, `MESSAGE_SIGNATURE_${code}`],
            JSON.stringify(error.extra.details),
          );
          return true;
        },
      ),
    );
  const params = `${COVERED}${RIGHT}`;
  const right = sign(POST, params, VALUES);
  const withHeader = (name: string, ...values: string[]): SignedMessage => ({
    ...right,
    fieldValues: (field) => (field === name ? values : right.fieldValues(field)),
  });
  reject("of another method", "INVALID", { ...right, method: "PATCH" });
  reject("of another path", "INVALID", { ...right, target: "/rest/v1/tools?select=id" });
  reject("of another query", "INVALID", { ...right, target: "/rest/v1/agents?select=*" });
  reject("of another body", "INVALID", right, '{"name":"Eve"}');
  reject("of another digest", "INVALID", withHeader("content-digest", "sha-256=:AAAA:"), BODY);
  reject("with a digest that has no sha-256", "INVALID", withHeader("content-digest", "sha-512=:AAAA:"));
  reject("with a malformed digest", "INVALID", withHeader("content-digest", "sha-256=AAAA="));
  reject("without its digest", "INVALID", withHeader("content-digest"));
  reject("without Signature", "INVALID", withHeader("signature"));
  reject("without Signature-Input", "INVALID", withHeader("signature-input"));
  reject("that is malformed", "INVALID", withHeader("signature", "sig=:????:"));
  reject("that is a string", "INVALID", withHeader("signature", 'sig="abc"'));
  reject("that is short", "INVALID", withHeader("signature", "sig=:AAAA:"));
  reject("beside another one", "INVALID", withHeader("signature", `${right.fieldValues("signature")[0]}, b=:AAAA:`));
  reject("with another label", "INVALID", sign(POST, params, VALUES, "other"));
  reject("with two inputs", "INVALID", withHeader("signature-input", `sig=${params}`, `b=${params}`));
  reject("with an endless input", "INVALID", withHeader("signature-input", `sig=${params};x="${"a".repeat(5_000)}"`));
  reject("with an input that is no list", "INVALID", withHeader("signature-input", "sig=1"));

  const signed = (text: string, values: readonly (readonly [string, string])[] = VALUES): SignedMessage =>
    sign(POST, text, values);
  for (const name of ["@method", "@path", "@query", "content-digest"])
    reject(
      `without ${name}`,
      "INVALID",
      signed(
        `${COVERED.replace(` "${name}"`, "").replace(`"${name}" `, "")}${RIGHT}`,
        VALUES.filter(([one]) => one !== name),
      ),
    );
  reject("with a component twice", "INVALID", signed(`${COVERED.replace(")", ' "@path")')}${RIGHT}`));
  reject(
    "with a derived component that is unknown",
    "INVALID",
    signed(`${COVERED.replace(")", ' "@status")')}${RIGHT}`),
  );
  reject("with a component's parameter", "INVALID", signed(`${COVERED.replace(")", ' "date";bs)')}${RIGHT}`));
  reject("with a header that is missing", "INVALID", signed(`${COVERED.replace(")", ' "x-missing")')}${RIGHT}`));
  reject("with an unknown parameter", "INVALID", signed(`${COVERED}${RIGHT};tag="x"`));
  reject("with another algorithm", "INVALID", signed(`${COVERED}${RIGHT};alg="rsa-pss-sha512"`));
  reject("with another keyid", "INVALID", signed(`${COVERED};created=${CREATED};nonce="abcdefgh";keyid="x"`));
  reject("without keyid", "INVALID", signed(`${COVERED};created=${CREATED};nonce="abcdefgh"`));
  reject("without nonce", "INVALID", signed(`${COVERED};created=${CREATED};keyid="${USER}"`));
  for (const nonce of ['""', '"short"', `"${"a".repeat(129)}"`, "abcdefgh", '"with space"'])
    reject(
      `with the nonce ${nonce.slice(0, 20)}`,
      "INVALID",
      signed(`${COVERED};created=${CREATED};nonce=${nonce};keyid="${USER}"`),
    );
  for (const created of ['"now"', "1.5", "-1", "?1", "999999999999999"])
    reject(
      `with created=${created}`,
      /^-?\d+$/.test(created) ? "EXPIRED" : "INVALID",
      signed(`${COVERED};created=${created};nonce="abcdefgh";keyid="${USER}"`),
    );
  for (const skew of [-301, 301])
    reject(
      `made ${skew} s from now`,
      "EXPIRED",
      signed(`${COVERED};created=${CREATED + skew};nonce="abcdefgh";keyid="${USER}"`),
    );
  reject("after expires", "EXPIRED", signed(`${COVERED}${RIGHT};expires=${CREATED - 1}`));
});

test("createSignedFetch signs what the server verifies, each time with another nonce", async () => {
  const sent: { url: string; init: RequestInit }[] = [];
  const signedFetch = createSignedFetch({
    secret: SECRET,
    userId: USER,
    now: () => NOW,
    fetch: async (url, init) => {
      sent.push({ url, init });
      return new Response("ok");
    },
  });
  await signedFetch("https://api.example.com/rest/v1/agents?name=eq.Zo%C3%AB%20x&select=id");
  await signedFetch(new URL("https://api.example.com/rest/v1/ünï"), {
    method: "post",
    body: "Zoë",
    headers: { a: "b" },
  });
  await signedFetch(new Request("https://api.example.com", { method: "DELETE" }));
  const nonces = sent.map(({ url, init }) => {
    const { pathname, search } = new URL(url);
    const headers = new Headers(init.headers);
    const message = messageOf(String(init.method), pathname + search, Object.fromEntries(headers));
    const body = init.body instanceof ArrayBuffer ? Buffer.from(init.body).toString() : "";
    return verify(message, body).nonce;
  });
  assert.equal(new Set(nonces).size, 3);
  assert.equal(new Headers(sent[1]?.init.headers).get("a"), "b");
});
