import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Secret, TOTP, URI } from "otpauth";
import {
  openFactorSecret,
  wrapFactorSecret,
  findTotpStep,
  makeTotpSecret,
  renderTotp,
} from "../../src/auth/mfa/totp.ts";
import { newMasterKey } from "../../src/crypto/index.ts";

const NOW = new Date("2026-11-15T00:00:10Z");
const STEP = Math.floor(NOW.getTime() / 30_000);

function codeAt(secret: Buffer, ms: number): string {
  return TOTP.generate({ secret: Secret.fromHex(secret.toString("hex")), timestamp: ms });
}

describe("codes of an authenticator", () => {
  it("follow RFC 6238", () => {
    const secret = Buffer.from("12345678901234567890");
    assert.equal(findTotpStep(secret, "287082", new Date(59_000)), 1);
    assert.equal(findTotpStep(secret, "081804", new Date(1_111_111_109_000)), 37_037_036);
  });

  it("are valid for one step before and after", () => {
    const secret = makeTotpSecret();
    for (const offset of [-1, 0, 1])
      assert.equal(findTotpStep(secret, codeAt(secret, NOW.getTime() + offset * 30_000), NOW), STEP + offset);
    for (const offset of [-2, 2])
      assert.equal(findTotpStep(secret, codeAt(secret, NOW.getTime() + offset * 30_000), NOW), null);
  });

  it("are six digits only", () => {
    const secret = makeTotpSecret();
    const code = codeAt(secret, NOW.getTime());
    for (const text of ["", "1", `${code}0`, code.slice(1), `-${code.slice(1)}`, "abcdef", "١٢٣٤٥٦"])
      assert.equal(findTotpStep(secret, text, NOW), null, text);
  });
});

describe("the QR code of a factor", () => {
  it("contains the secret, the issuer and the account", () => {
    const secret = makeTotpSecret();
    assert.equal(secret.length, 20);
    const { qr_code, secret: base32, uri } = renderTotp(secret, { issuer: "app.example.com", account: "a@b.example" });
    const parsed = URI.parse(uri);
    assert.ok(parsed instanceof TOTP);
    assert.deepEqual(
      [parsed.issuer, parsed.label, parsed.digits, parsed.period, parsed.algorithm],
      ["app.example.com", "a@b.example", 6, 30, "SHA1"],
    );
    assert.equal(parsed.secret.base32, base32);
    assert.equal(Secret.fromBase32(base32).hex.toLowerCase(), secret.toString("hex"));
    assert.match(qr_code, /^<svg .*<\/svg>$/s);
    // Everything after "#" in a data: URL is ignored.
    assert.doesNotMatch(qr_code, /#/);
  });

  it("can encode the longest names", () => {
    const { qr_code } = renderTotp(makeTotpSecret(), { issuer: "\u{1F600}".repeat(32), account: "%".repeat(320) });
    assert.match(qr_code, /^<svg /);
  });
});

describe("the secret of a factor", () => {
  it("can be unwrapped only for its own factor and with the right master key", () => {
    const masterKey = newMasterKey();
    const secret = makeTotpSecret();
    const wrapped = wrapFactorSecret(masterKey, "one", secret);
    assert.deepEqual(openFactorSecret(masterKey, { id: "one", secret_wrapped: wrapped }), secret);
    assert.throws(() => openFactorSecret(masterKey, { id: "two", secret_wrapped: wrapped }));
    assert.throws(() => openFactorSecret(newMasterKey(), { id: "one", secret_wrapped: wrapped }));
    assert.ok(!wrapped.includes(secret));
  });
});
