import { Secret, TOTP } from "otpauth";
import { renderSVG } from "uqr";
import { deriveKey, unwrapSecret, wrapSecret } from "../../crypto/index.ts";
import type { FactorRow } from "../sql/user-row.ts";

const SECRET_BYTES = 20;
const PERIOD_SECONDS = 30;
const DIGITS = 6;
/** The previous and the next time step are valid too, because clocks differ and people type slowly. */
const WINDOW_STEPS = 1;
const CODE = /^[0-9]{6}$/;
const QR_PIXEL_SIZE = 4;
const QR_BORDER = 4;

export function makeTotpSecret(): Buffer {
  return Buffer.from(new Secret({ size: SECRET_BYTES }).bytes);
}

interface TotpLabel {
  readonly issuer: string;
  readonly account: string;
}

interface RenderedTotp {
  /** SVG markup. The client puts `data:image/svg+xml;utf-8,` before it, so it must not contain "#". */
  readonly qr_code: string;
  readonly secret: string;
  readonly uri: string;
}

export function renderTotp(secret: Buffer, { issuer, account }: TotpLabel): RenderedTotp {
  const totp = new TOTP({ issuer, label: account, secret: toSecret(secret), digits: DIGITS, period: PERIOD_SECONDS });
  const uri = totp.toString();
  return {
    qr_code: renderSVG(uri, { boostEcc: true, pixelSize: QR_PIXEL_SIZE, border: QR_BORDER }),
    secret: totp.secret.base32,
    uri,
  };
}

/** Returns the time step of the code, or null when the code matches no step around `now`. */
export function findTotpStep(secret: Buffer, code: string, now: Date): number | null {
  if (!CODE.test(code)) return null;
  const timestamp = now.getTime();
  const delta = TOTP.validate({
    token: code,
    secret: toSecret(secret),
    digits: DIGITS,
    period: PERIOD_SECONDS,
    timestamp,
    window: WINDOW_STEPS,
  });
  return delta === null ? null : TOTP.counter({ period: PERIOD_SECONDS, timestamp }) + delta;
}

function toSecret(bytes: Buffer): Secret {
  return new Secret({ buffer: Uint8Array.from(bytes).buffer });
}

const PURPOSE = "mfa-secrets";

export function wrapFactorSecret(masterKey: string, factorId: string, secret: Buffer): Buffer {
  return wrapSecret(deriveKey(masterKey, PURPOSE), secret, contextOf(factorId));
}

export function openFactorSecret(masterKey: string, factor: Pick<FactorRow, "id" | "secret_wrapped">): Buffer {
  if (factor.secret_wrapped === null) throw new Error("the factor has no secret");
  return unwrapSecret(deriveKey(masterKey, PURPOSE), factor.secret_wrapped, contextOf(factor.id));
}

/** Bound to its factor: a secret that is copied to another row cannot be unwrapped. */
function contextOf(factorId: string): string {
  return `mfa-factor:${factorId}`;
}
