import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { buildTokenHash, hashTokenHash, isSameHash, newCode } from "../../src/auth/one-time/one-time-secret.ts";
import { isVerifierOf, readPkce } from "../../src/auth/one-time/pkce.ts";
import { rejection } from "./support/rejection.ts";

const MASTER_KEY = "m".repeat(43);

describe("a code", () => {
  it("has the requested number of digits, including leading zeros", () => {
    for (const length of [6, 7, 8, 9, 10]) {
      for (let round = 0; round < 500; round += 1) assert.match(newCode(length), new RegExp(`^\\d{${length}}$`));
    }
  });

  it("is uniformly distributed", () => {
    const rounds = 20_000;
    const counts = Array.from({ length: 6 }, () => Array.from({ length: 10 }, () => 0));
    for (let round = 0; round < rounds; round += 1) {
      for (const [place, digit] of newCode(6).split("").entries()) {
        const row = counts[place] ?? [];
        row[Number(digit)] = (row[Number(digit)] ?? 0) + 1;
      }
    }
    // Ten standard deviations: only a bias exceeds them.
    const expected = rounds / 10;
    const tolerance = 10 * Math.sqrt(expected * 0.9);
    for (const count of counts.flat()) assert.ok(Math.abs(count - expected) < tolerance, `${count} of ${expected}`);
  });
});

describe("the token of a link", () => {
  const identity = { id: "0", kind: "recovery", isPkce: false } as const;

  it("depends on key, token id, kind, code and flow", () => {
    const texts = [
      buildTokenHash(MASTER_KEY, identity, "000000"),
      buildTokenHash(MASTER_KEY, identity, "000001"),
      buildTokenHash(MASTER_KEY, { ...identity, id: "1" }, "000000"),
      buildTokenHash(MASTER_KEY, { ...identity, kind: "magiclink" }, "000000"),
      buildTokenHash(MASTER_KEY, { ...identity, isPkce: true }, "000000"),
      buildTokenHash("n".repeat(43), identity, "000000"),
    ];
    assert.equal(new Set(texts).size, texts.length);
    assert.match(texts[0] ?? "", /^[0-9a-f]{64}$/);
    assert.match(texts[4] ?? "", /^pkce_[0-9a-f]{64}$/);
    // The token of a PKCE link is not valid without its prefix.
    assert.equal(isSameHash(hashTokenHash(texts[4] ?? ""), hashTokenHash(texts[0] ?? "")), false);
  });
});

describe("the code challenge of a PKCE flow", () => {
  const verifiers = fc.stringMatching(/^[A-Za-z0-9._~-]{43,128}$/);

  it("matches its verifier only", () => {
    fc.assert(
      fc.property(
        verifiers,
        verifiers,
        fc.constantFrom("s256" as const, "plain" as const),
        (verifier, other, method) => {
          fc.pre(verifier !== other);
          const challenge = method === "plain" ? verifier : createHash("sha256").update(verifier).digest("base64url");
          assert.equal(isVerifierOf({ challenge, method }, verifier), true);
          assert.equal(isVerifierOf({ challenge, method }, other), false);
          assert.equal(isVerifierOf({ challenge, method: method === "plain" ? "s256" : "plain" }, verifier), false);
        },
      ),
    );
  });

  it("follows the example of RFC 7636", () => {
    const promise = { challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", method: "s256" } as const;
    assert.equal(isVerifierOf(promise, "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"), true);
  });

  const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
  const bodies: readonly [string, unknown, unknown][] = [
    ["none", {}, null],
    ["nulls", { code_challenge: null, code_challenge_method: null }, null],
    ["empty texts", { code_challenge: "", code_challenge_method: "" }, null],
    ["both", { code_challenge: challenge, code_challenge_method: "s256" }, { challenge, method: "s256" }],
    ["upper case", { code_challenge: challenge, code_challenge_method: "S256" }, { challenge, method: "s256" }],
    ["no method", { code_challenge: challenge }, "rejected"],
    ["no challenge", { code_challenge_method: "plain" }, "rejected"],
    ["too short", { code_challenge: "x".repeat(42), code_challenge_method: "plain" }, "rejected"],
    ["too long", { code_challenge: "x".repeat(129), code_challenge_method: "plain" }, "rejected"],
    ["other characters", { code_challenge: `${challenge}=`, code_challenge_method: "s256" }, "rejected"],
    ["another type", { code_challenge: [challenge], code_challenge_method: "s256" }, "rejected"],
    ["another method", { code_challenge: challenge, code_challenge_method: "md5" }, "rejected"],
  ];
  for (const [name, body, outcome] of bodies) {
    it(`is read from a body with ${name}`, () => {
      if (outcome === "rejected") assert.throws(() => readPkce({ body }), rejection(400, "validation_failed"));
      else assert.deepEqual(readPkce({ body }), outcome);
    });
  }
});
