import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type TestContext, test } from "node:test";
import { verifyWebhook } from "@swarmbase/sdk";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";

/** Test vectors for receivers in other languages; the two libraries below created the signatures. */
interface Vector {
  readonly name: string;
  readonly secret: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const file = new URL("../../../docs/reference/webhook-vectors.json", import.meta.url);
const VECTORS = JSON.parse(await readFile(file, "utf8")) as readonly Vector[];
const { webhooks: stripe } = new Stripe("sk_test_unused");
const verifier = stripe.signature ?? assert.fail("stripe has no verifier");
const TOLERANCE_SECONDS = 300;

/** Other libraries use the clock of the machine. */
function setClock(t: TestContext, seconds: number): void {
  t.mock.timers.enable({ apis: ["Date"], now: seconds * 1000 });
}

/** Their header combines two of ours; the signed content is the same. */
function toStripeHeader(timestamp: string, signature: string): string {
  return `t=${timestamp},v1=${signature.replace("sha256=", "")}`;
}

test("there are at least four test vectors", () => assert.ok(VECTORS.length >= 4));

for (const { name, secret, body, headers } of VECTORS) {
  const { "X-Service-Timestamp": timestamp = "", "X-Service-Signature": signature = "" } = headers;

  test(`6.3 verifyWebhook accepts ${name}`, async () => {
    const now = new Date(Number(timestamp) * 1000);
    assert.deepEqual(await verifyWebhook(body, headers, secret, { now }), JSON.parse(body));
    await assert.rejects(verifyWebhook(`${body} `, headers, secret, { now }), { reason: "signature_mismatch" });
  });

  test(`6.3 stripe accepts ${name}`, (t) => {
    setClock(t, Number(timestamp));
    const header = toStripeHeader(timestamp, signature);
    assert.ok(verifier.verifyHeader(body, header, secret, TOLERANCE_SECONDS));
    assert.throws(() => verifier.verifyHeader(`${body} `, header, secret, TOLERANCE_SECONDS));
  });

  test(`6.3 standardwebhooks accepts ${name}`, (t) => {
    setClock(t, Number(timestamp));
    assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
    assert.throws(() => new Webhook(secret).verify(`${body} `, headers));
  });
}

test("6.3 verifyWebhook accepts signatures of stripe, with the same tolerance", async () => {
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const signedAt = 1_800_000_000;
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()),
      fc.integer({ min: 0, max: 2 * TOLERANCE_SECONDS }),
      async (data, ageSeconds) => {
        const body = JSON.stringify({ id: "evt_1", type: "t", created_at: "c", api_version: "v", data });
        const header = stripe.generateTestHeaderString({ payload: body, secret, timestamp: signedAt });
        const signature = /v1=(\w+)/.exec(header)?.[1] ?? "";
        const headers = { "X-Service-Timestamp": String(signedAt), "X-Service-Signature": `sha256=${signature}` };
        const now = new Date((signedAt + ageSeconds) * 1000);
        const isOursContent = await verifyWebhook(body, headers, secret, { now }).then(
          () => true,
          () => false,
        );
        assert.equal(isOursContent, ageSeconds <= TOLERANCE_SECONDS);
        assert.equal(isStripeContent(body, header, secret, now), isOursContent);
      },
    ),
    { numRuns: 100 },
  );
});

function isStripeContent(body: string, header: string, secret: string, now: Date): boolean {
  try {
    return verifier.verifyHeader(body, header, secret, TOLERANCE_SECONDS, undefined, now.getTime());
  } catch {
    return false;
  }
}
