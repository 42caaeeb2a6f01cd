import { createPrivateKey } from "node:crypto";
import type { Clock } from "../../time/index.ts";
import type { ClientSecret } from "../../sign-in-providers/index.ts";

const LIFETIME_SECONDS = 86_400;
const AUDIENCE = "https://appleid.apple.com";

/** Apple's client secret: a token that the team signs with its key. Apple accepts up to six months. */
export async function signAppleSecret(
  { teamId, keyId, privateKey }: Extract<ClientSecret, { kind: "apple" }>,
  { clientId, clock }: { readonly clientId: string; readonly clock: Clock },
): Promise<string> {
  const { SignJWT } = await import("jose");
  const iat = Math.floor(clock.now().getTime() / 1000);
  return new SignJWT({ iss: teamId, iat, exp: iat + LIFETIME_SECONDS, aud: AUDIENCE, sub: clientId })
    .setProtectedHeader({ alg: "ES256", kid: keyId })
    .sign(createPrivateKey(privateKey));
}
