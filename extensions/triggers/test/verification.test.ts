import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findTemplateFault, renderMessage } from "../src/message/render-message.ts";
import type { TriggerScheme } from "../src/verification/read-claim.ts";
import { isVerified } from "../src/verification/is-verified.ts";
import { payloadOf, type SenderKind, SENDERS, type SentCall } from "./support/senders.ts";

const NOW = new Date("2026-11-19T12:00:00Z");
const SECRET = `whsec_${Buffer.from("a secret of a test, long enough").toString("base64")}`;
const OTHER = `whsec_${Buffer.from("another secret, just as long..").toString("base64")}`;
const KINDS = Object.keys(SENDERS) as SenderKind[];

function schemeOf(verification: SenderKind, more: Partial<TriggerScheme> = {}): TriggerScheme {
  return {
    verification,
    signatureHeader: "X-Signature",
    signatureAlgorithm: "sha256",
    signatureEncoding: "hex",
    signaturePrefix: "",
    replayWindowSeconds: 300,
    ...more,
  };
}

function isAccepted(kind: SenderKind, { headers, body }: SentCall, more: Partial<TriggerScheme> = {}): boolean {
  return isVerified(schemeOf(kind, more), SECRET, { headers, body: Buffer.from(body), nowMs: NOW.getTime() });
}

const at = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1_000);

for (const kind of KINDS)
  describe(`a call of ${kind}`, () => {
    test("accepts nothing that the sender has not signed so", async () => {
      const sign = async (secret = SECRET): Promise<SentCall> =>
        SENDERS[kind](payloadOf(kind, "1"), { secret, at: NOW });
      const call = await sign();
      assert.equal(isAccepted(kind, call), true);
      const forged = await sign(OTHER);
      assert.equal(isAccepted(kind, forged), false, "another secret");
      assert.equal(isAccepted(kind, { ...call, headers: {} }), false, "nothing");
      for (const [name, value] of Object.entries(call.headers)) {
        if (name === "content-type" || name.startsWith("x-github")) continue;
        for (const wrong of [
          "",
          value.slice(0, -1),
          `${value}0`,
          value.toUpperCase(),
          "\u{ffff}",
          "t=,v1=",
          "v1,",
          "=",
        ]) {
          const changed = { ...call, headers: { ...call.headers, [name]: wrong } };
          const isSame = wrong === value || (kind === "hmac" && wrong === value.toUpperCase());
          assert.equal(isAccepted(kind, changed), isSame, `${name}: ${wrong}`);
        }
      }
      if (kind === "bearer") return;
      for (const body of ["", `${call.body} `, call.body.replace("1", "2")])
        assert.equal(isAccepted(kind, { ...call, body }), false, "another body");
    });

    test("is accepted within its window alone, if its time is signed", async () => {
      const isTimed = ["stripe", "slack", "standard_webhooks"].includes(kind);
      for (const [seconds, isInside] of [
        [-301, false],
        [-299, true],
        [299, true],
        [301, false],
      ] as const) {
        const call = await SENDERS[kind](payloadOf(kind), { secret: SECRET, at: at(seconds) });
        assert.equal(isAccepted(kind, call), isInside || !isTimed, String(seconds));
      }
      const late = await SENDERS[kind](payloadOf(kind), { secret: SECRET, at: at(-30) });
      assert.equal(isAccepted(kind, late, { replayWindowSeconds: 20 }), !isTimed);
    });
  });

test("one of several signatures is enough, in any order, and their parts cannot change places", async () => {
  const call = SENDERS.stripe({}, { secret: SECRET, at: NOW });
  const other = SENDERS.stripe({}, { secret: OTHER, at: NOW });
  const [time = "", right = ""] = (call.headers["stripe-signature"] ?? "").split(",");
  const wrong = (other.headers["stripe-signature"] ?? "").split(",")[1] ?? "";
  const withHeader = (value: string): SentCall => ({ ...call, headers: { "stripe-signature": value } });
  assert.equal(isAccepted("stripe", withHeader([time, wrong, right].join(","))), true);
  assert.equal(isAccepted("stripe", withHeader([right, time].join(", "))), true);
  assert.equal(isAccepted("stripe", withHeader([time, wrong].join(","))), false);
  assert.equal(isAccepted("stripe", withHeader([`t=${NOW.getTime() / 1_000 - 900}`, time, right].join(","))), false);
  assert.equal(isAccepted("stripe", withHeader([time, right.replace("v1", "v0")].join(","))), false);
  const many = [...Array.from({ length: 10 }, () => wrong), right];
  assert.equal(isAccepted("stripe", withHeader([time, ...many].join(","))), false, "a bounded number is compared");
  const standard = SENDERS.standard_webhooks({}, { secret: SECRET, at: NOW });
  const renamed = Object.entries(standard.headers).map(([name, value]) => [name.replace("webhook-", "svix-"), value]);
  assert.equal(isAccepted("standard_webhooks", { ...standard, headers: Object.fromEntries(renamed) }), true);
  const id = { ...standard.headers, "webhook-id": "msg_other" };
  assert.equal(isAccepted("standard_webhooks", { ...standard, headers: id }), false, "the id is signed");
});

test("a MAC can have another header, algorithm, encoding and prefix", async () => {
  const { createHmac } = await import("node:crypto");
  const body = "{}";
  const scheme = {
    signatureHeader: "X-Shop-Hmac",
    signatureAlgorithm: "sha512",
    signatureEncoding: "base64",
    signaturePrefix: "sha512=",
  } as const;
  const mac = createHmac("sha512", SECRET).update(body).digest("base64");
  assert.equal(isAccepted("hmac", { body, headers: { "x-shop-hmac": `sha512=${mac}` } }, scheme), true);
  assert.equal(isAccepted("hmac", { body, headers: { "x-shop-hmac": mac } }, scheme), false);
  assert.equal(isAccepted("hmac", { body, headers: { "x-signature": `sha512=${mac}` } }, scheme), false);
});

test("a template has look-ups and nothing else", () => {
  const render = (template: string, payload: unknown): string =>
    renderMessage(template, payload, "00000000-0000-7000-8000-00000000abcd").replaceAll("outside-00000000abcd", "o");
  assert.equal(render("No look-up: {a}, $&, {{}", {}), "No look-up: {a}, $&, {{}");
  for (const template of ["{{a}} {{ b.c }} {{items.0}} {{.}}", "{ {a}", "plain"])
    assert.equal(findTemplateFault(template), null, template);
  for (const template of ["{{}}", "{{a}", "{{a|b}}", "{{a()}}", "{{a[0]}}", "{{a..b}}", "{{a.}}", "}}"])
    assert.notEqual(findTemplateFault(template), null, template);
  const text = (template: string, payload: unknown): string => render(template, payload).split("\n\n")[1] ?? "";
  assert.equal(text("{{a}}", { a: "$& {{b}}", b: "no" }), "<o>$& {{b}}</o>", "a value is no template");
  assert.equal(text("{{a.1.b}} {{a.2}}", { a: [0, { b: false }] }), "<o>false</o> <o></o>");
  assert.equal(text("{{__proto__.x}}{{a.constructor.name}}{{a.length}}", { a: null }), "<o></o><o></o><o></o>");
  const long = render("{{a}} and {{b}}", { a: "\u{1f600}".repeat(40_000), b: "lost" });
  assert.ok(long.length <= 32_000 && long.isWellFormed() && long.endsWith("<o></o>"));
});
