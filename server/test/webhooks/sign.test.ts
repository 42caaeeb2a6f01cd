import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { verifyWebhook } from "@swarmbase/sdk";
import { buildSignedHeaders } from "../../src/webhooks/sign.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const OLDER = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
const OLDEST = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
const BODY = '{"id":"evt_1","type":"agent.created","created_at":"x","api_version":"2026-11-15","data":{"name":"é"}}';
const TIMESTAMP = 1_800_000_000;
const SIGNABLE = {
  id: "0193a000-0000-7000-8000-000000000001",
  eventId: "0193a000-0000-7000-8000-000000000002",
  eventType: "agent.created",
  secret: SECRET,
  previousSecrets: [],
};
const now = new Date(1_800_000_000_000);

describe("signed headers", () => {
  test("signed headers pass the verification of the SDK", async () => {
    const headers = buildSignedHeaders(SIGNABLE, BODY, TIMESTAMP);
    assert.match(headers["X-Service-Signature"] ?? "", /^sha256=[0-9a-f]{64}$/);
    assert.equal(headers["X-Service-Timestamp"], "1800000000");
    assert.equal(headers["X-Service-Event"], "agent.created");
    assert.equal(headers["X-Service-Delivery"], SIGNABLE.id);
    assert.equal(headers["X-Service-Signature-Previous"], undefined);
    await verifyWebhook(BODY, headers, SECRET, { now });
    await assert.rejects(verifyWebhook(BODY, headers, OLDER, { now }), { reason: "signature_mismatch" });
  });

  test("signed headers contain a signature for each replaced secret", async () => {
    const headers = buildSignedHeaders({ ...SIGNABLE, previousSecrets: [OLDER, OLDEST] }, BODY, TIMESTAMP);
    const sign = (secret: string): string =>
      `sha256=${createHmac("sha256", secret).update(`1800000000.${BODY}`).digest("hex")}`;
    assert.equal(headers["X-Service-Signature"], sign(SECRET));
    assert.equal(headers["X-Service-Signature-Previous"], `${sign(OLDER)}, ${sign(OLDEST)}`);
    assert.equal(headers["webhook-signature"]?.split(" ").length, 3);
    for (const secret of [SECRET, OLDER, OLDEST]) await verifyWebhook(BODY, headers, secret, { now });
  });

  test("signed headers follow the Standard Webhooks specification", () => {
    const headers = buildSignedHeaders({ ...SIGNABLE, previousSecrets: [OLDER] }, BODY, TIMESTAMP);
    const sign = (byte: number): string =>
      `v1,${createHmac("sha256", Buffer.alloc(32, byte)).update(`evt_${SIGNABLE.eventId}.1800000000.${BODY}`).digest("base64")}`;
    assert.equal(headers["webhook-id"], `evt_${SIGNABLE.eventId}`);
    assert.equal(headers["webhook-timestamp"], "1800000000");
    assert.equal(headers["webhook-signature"], `${sign(7)} ${sign(8)}`);
  });

  test("signed headers match the published vectors", async () => {
    const file = new URL("../../../docs/reference/webhook-vectors.json", import.meta.url);
    const vectors = JSON.parse(await readFile(file, "utf8")) as {
      secret: string;
      body: string;
      headers: Record<string, string>;
    }[];
    for (const { secret, body, headers } of vectors) {
      const eventId = String(headers["webhook-id"]).replace("evt_", "");
      const timestamp = Number(headers["X-Service-Timestamp"]);
      const built = buildSignedHeaders({ ...SIGNABLE, secret, eventId }, body, timestamp);
      assert.deepEqual({ ...built, ...headers }, built);
    }
    assert.ok(vectors.length >= 4);
  });
});
