import type { JWTPayload } from "jose";
import type { Clock } from "../../time/index.ts";
import { authError } from "../auth-error.ts";
import type { SignInProvider } from "../../sign-in-providers/index.ts";
import type { SignInProviders } from "./sign-in-providers.ts";

const CLOCK_TOLERANCE_SECONDS = 30;
const TENANT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface IdTokenContext {
  readonly signInProviders: SignInProviders;
  readonly clock: Clock;
}

/** Returns the claims of an ID token with a signature, an issuer, an audience and times that are right. The caller checks the nonce. */
export async function verifyIdToken(
  { signInProviders, clock }: IdTokenContext,
  provider: SignInProvider,
  { token, audiences }: { readonly token: string; readonly audiences: readonly string[] },
): Promise<JWTPayload> {
  const { config, keys } = await signInProviders.open(provider);
  if (keys === null) throw authError("oauth_provider_not_supported");
  const { jwtVerify } = await import("jose");
  const { payload } = await jwtVerify(token, keys, {
    algorithms: [...provider.preset.algorithms],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    currentDate: clock.now(),
    requiredClaims: ["iss", "sub", "aud", "exp", "iat"],
  });
  if (payload.iss !== expectedIssuer(config.serverMetadata().issuer, payload)) throw new Error("another issuer");
  const intended = [payload.aud ?? []].flat();
  const isParty = audiences.includes(String(payload["azp"]));
  // The apps of one project at a vendor get tokens for each other; elsewhere `azp` is whom the token was issued to.
  const isPartyFree = intended.length === 1 && (payload["azp"] === undefined || provider.preset.issuer !== null);
  if (!intended.some((audience) => audiences.includes(audience)) || !(isParty || isPartyFree))
    throw authError("unexpected_audience");
  return payload;
}

/** Microsoft has one document for all tenants. */
function expectedIssuer(issuer: string, { tid }: JWTPayload): string {
  return typeof tid === "string" && TENANT_ID.test(tid) ? issuer.replace("{tenantid}", tid) : issuer;
}
