import { AppError } from "../errors/index.ts";

type Reason = "REQUIRED" | "INVALID" | "EXPIRED" | "REPLAYED";

/** The value of `X-Request-Signature-Status`, and the message. */
const REASONS: Readonly<Record<Reason, readonly [status: string, message: string]>> = {
  REQUIRED: ["missing", "A message signature is required"],
  INVALID: ["invalid", "The message signature is not valid"],
  EXPIRED: ["expired", "The message signature has expired"],
  REPLAYED: ["replayed", "The nonce of the message signature was used before"],
};

/** A rejected HTTP message signature. The details say what to change. */
export function messageSignatureError(reason: Reason, details: string | null = null): AppError {
  const [status, message] = REASONS[reason];
  return new AppError(`MESSAGE_SIGNATURE_${reason}`, message, {
    details,
    hint: "Sign @method, @path, @query and, with a body, content-digest as RFC 9421 says, with hmac-sha256 and your signing secret.",
    headers: { "x-request-signature-status": status },
  });
}

/** A missing `X-Request-Signature`. */
export function signatureRequiredError(): AppError {
  return new AppError("UNAUTHORIZED", "A request signature is required", {
    hint: "Sign the body with the secret that the function request-signing gave you, and send X-Request-Signature.",
  });
}
