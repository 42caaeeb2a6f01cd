import * as z from "zod";

/** Longer than any authenticator sends, certificates included. */
const MAX_LENGTH = 32_768;
/** 1,023 bytes, the limit of WebAuthn. */
const MAX_ID_LENGTH = 1364;
const MAX_TRANSPORTS = 16;
const TRANSPORTS: ReadonlySet<string> = new Set(["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"]);

const base64url = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .regex(/^[A-Za-z0-9_-]+$/, "must be base64url");

const ID = { id: base64url(MAX_ID_LENGTH), rawId: base64url(MAX_ID_LENGTH), type: z.literal("public-key") };

/** What `navigator.credentials.create` returns, as JSON. */
export const ATTESTATION = z.object({
  ...ID,
  response: z.object({
    clientDataJSON: base64url(MAX_LENGTH),
    attestationObject: base64url(MAX_LENGTH),
    transports: z
      .array(z.string().max(32))
      .max(MAX_TRANSPORTS)
      .nullish()
      .transform((given) => [...new Set(given ?? [])].filter((name) => TRANSPORTS.has(name))),
  }),
});

/** What `navigator.credentials.get` returns, as JSON. */
export const ASSERTION = z.object({
  ...ID,
  response: z.object({
    clientDataJSON: base64url(MAX_LENGTH),
    authenticatorData: base64url(MAX_LENGTH),
    signature: base64url(MAX_LENGTH),
    userHandle: z.string().max(128).nullish(),
  }),
});

export type Attestation = z.output<typeof ATTESTATION>;
export type Assertion = z.output<typeof ASSERTION>;
