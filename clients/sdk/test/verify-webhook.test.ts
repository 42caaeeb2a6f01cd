import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import { verifyWebhook, type WebhookHeaders, type WebhookRefusal, WebhookVerificationError } from "@swarmbase/sdk";
import fc from "fast-check";

const now = new Date("2026-11-15T12:00:00Z");
const nowSeconds = Math.floor(now.getTime() / 1000);
const secret = `whsec_${randomBytes(32).toString("base64")}`;
const envelope = {
  id: "evt_1",
  type: "message.created",
  created_at: now.toISOString(),
  api_version: "2026-11-15",
  data: { message_id: "m", content: "grüße 🐝" },
};
const body = JSON.stringify(envelope);

function sign(text: string | Uint8Array, key = secret, timestamp: string | number = nowSeconds): string {
  return createHmac("sha256", key).update(`${timestamp}.`).update(text).digest("hex");
}

function signedHeaders(signature = `sha256=${sign(body)}`, timestamp = String(nowSeconds)): Record<string, string> {
  return { "X-Service-Signature": signature, "X-Service-Timestamp": timestamp };
}

async function refusalOf(run: Promise<unknown>): Promise<WebhookRefusal> {
  const error = await run.then(
    () => assert.fail("the delivery was accepted"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof WebhookVerificationError, String(error));
  return error.reason;
}

interface Change {
  body?: string | Uint8Array;
  headers?: WebhookHeaders;
  secret?: string | string[];
  toleranceSeconds?: number;
}

/** The valid delivery with one change. */
function verify(change: Change) {
  const { toleranceSeconds } = change;
  return verifyWebhook(change.body ?? body, change.headers ?? signedHeaders(), change.secret ?? secret, {
    now,
    ...(toleranceSeconds !== undefined && { toleranceSeconds }),
  });
}

const PREVIOUS = "X-Service-Signature-Previous";
const stranger = sign(body, "whsec_stranger");
const accepted: [string, Change][] = [
  ["the sha256= prefix", {}],
  ["bare hex", { headers: signedHeaders(sign(body)) }],
  ["upper-case hex", { headers: signedHeaders(`sha256=${sign(body).toUpperCase()}`) }],
  ["a Headers object", { headers: new Headers(signedHeaders()) }],
  [
    "lower-case header names",
    { headers: { "x-service-signature": sign(body), "x-service-timestamp": `${nowSeconds}` } },
  ],
  ["a body of bytes", { body: Buffer.from(body) }],
  ["the second of two secrets", { secret: ["whsec_other", secret] }],
  ["the first of two secrets", { secret: [secret, "whsec_other"] }],
  [
    "the signature of the secret that was replaced",
    { headers: { ...signedHeaders(stranger), [PREVIOUS]: `sha256=${sign(body)}` } },
  ],
  [
    "one of several of them",
    { headers: { ...signedHeaders(stranger), [PREVIOUS]: `sha256=${stranger}, sha256=${sign(body)}` } },
  ],
  ["a header of replaced secrets that makes no sense", { headers: { ...signedHeaders(), [PREVIOUS]: "sha256=, x" } }],
  [
    "an age within a tolerance of its own",
    { headers: signedHeaders(sign(body, secret, nowSeconds - 900), `${nowSeconds - 900}`), toleranceSeconds: 900 },
  ],
  ["a timestamp 300 s old", { headers: signedHeaders(sign(body, secret, nowSeconds - 300), `${nowSeconds - 300}`) }],
  ["a timestamp 300 s ahead", { headers: signedHeaders(sign(body, secret, nowSeconds + 300), `${nowSeconds + 300}`) }],
];
for (const [name, change] of accepted) {
  test(`6.3 accepts ${name}`, async () => {
    assert.deepEqual(await verify(change), envelope);
  });
}

const { "X-Service-Signature": _signature, ...withoutSignature } = signedHeaders();
const { "X-Service-Timestamp": _timestamp, ...withoutTimestamp } = signedHeaders();
const rejected: [WebhookRefusal, string, Change][] = [
  ["secret_missing", "no secret", { secret: [] }],
  ["secret_missing", "an empty secret", { secret: "" }],
  ["signature_missing", "no signature", { headers: withoutSignature }],
  ["signature_malformed", "a short signature", { headers: signedHeaders("sha256=abcd") }],
  ["signature_malformed", "another algorithm", { headers: signedHeaders(`sha512=${sign(body)}`) }],
  [
    "signature_malformed",
    "a repeated signature",
    { headers: { ...withoutSignature, "x-service-signature": [sign(body), sign(body)] } },
  ],
  ["signature_mismatch", "a wrong secret", { secret: "whsec_other" }],
  ["signature_mismatch", "the secret without its prefix", { secret: secret.slice("whsec_".length) }],
  ["signature_mismatch", "a changed body", { body: `${body} ` }],
  ["signature_mismatch", "another timestamp", { headers: signedHeaders(sign(body), String(nowSeconds + 1)) }],
  [
    "signature_mismatch",
    "strange signatures in both headers",
    { headers: { ...signedHeaders(stranger), [PREVIOUS]: `sha256=${stranger}` } },
  ],
  ["signature_missing", "a previous signature alone", { headers: { ...withoutSignature, [PREVIOUS]: sign(body) } }],
  [
    "timestamp_out_of_tolerance",
    "a tolerance of nothing, a second late",
    {
      headers: signedHeaders(sign(body, secret, nowSeconds - 1), `${nowSeconds - 1}`),
      toleranceSeconds: 0,
    },
  ],
  ["timestamp_missing", "no timestamp", { headers: withoutTimestamp }],
  ["timestamp_malformed", "a date as timestamp", { headers: signedHeaders(sign(body), now.toISOString()) }],
  ["timestamp_malformed", "a fraction", { headers: signedHeaders(sign(body), `${nowSeconds}.5`) }],
  [
    "timestamp_out_of_tolerance",
    "301 s of age",
    { headers: signedHeaders(sign(body, secret, nowSeconds - 301), String(nowSeconds - 301)) },
  ],
  [
    "timestamp_out_of_tolerance",
    "301 s ahead",
    { headers: signedHeaders(sign(body, secret, nowSeconds + 301), String(nowSeconds + 301)) },
  ],
  ["timestamp_out_of_tolerance", "a tolerance that is not a number", { toleranceSeconds: Number.NaN }],
  ["body_malformed", "signed text that is not JSON", { body: "x", headers: signedHeaders(sign("x")) }],
  ["body_malformed", "signed JSON that is no envelope", { body: "[]", headers: signedHeaders(sign("[]")) }],
  [
    "body_malformed",
    "signed bytes that are not UTF-8",
    { body: Buffer.from([0xff]), headers: signedHeaders(sign(Buffer.from([0xff]))) },
  ],
];
for (const [reason, name, change] of rejected) {
  test(`6.3 rejects ${name}: ${reason}`, async () => {
    assert.equal(await refusalOf(verify(change)), reason);
  });
}

test("6.3 accepts a signed delivery and rejects it after any single change", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.string({ minLength: 1 }),
      fc.nat(),
      async (content, key, position) => {
        const text = JSON.stringify({ ...envelope, data: content });
        const headers = signedHeaders(sign(text, key));
        const received = await verifyWebhook(text, headers, key, { now });
        assert.equal(JSON.stringify(received), text);

        const bytes = Buffer.from(text);
        const at = position % bytes.length;
        bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
        assert.equal(await refusalOf(verifyWebhook(bytes, headers, key, { now })), "signature_mismatch");
      },
    ),
    { numRuns: 100 },
  );
});

test("any malformed headers reject with a WebhookVerificationError", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.string(), async (signature, timestamp) => {
      await refusalOf(verifyWebhook(body, signedHeaders(signature, timestamp), secret, { now }));
    }),
    { numRuns: 100 },
  );
});
