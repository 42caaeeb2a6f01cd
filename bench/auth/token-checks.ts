import { generateKeyPairSync, randomUUID } from "node:crypto";
import { signAccessToken } from "../../server/src/auth/tokens/access-token.ts";
import { KeyRing } from "../../server/src/auth/tokens/key-ring.ts";
import { VerifiedTokens } from "../../server/src/auth/tokens/verified-tokens.ts";
import { verifySignedToken } from "../../server/src/auth/tokens/verify-signed-token.ts";
import type { Contender } from "../load/compare.ts";

const clock = { now: () => new Date() };
const LIFE_SECONDS = 3600;
/** Verifications between two readings of the clock: one takes a few microseconds. */
const BATCH = 100;

export interface TokenChecks {
  readonly remembered: Contender;
  readonly verified: Contender;
}

/** Verifies tokens of this many users in turn: by their signature, or from the cache. */
export async function createTokenChecks(users: number): Promise<TokenChecks> {
  const ring = createRing();
  const tokens = await Promise.all(Array.from({ length: users }, () => signAccessToken(ring, buildClaims())));
  const verifiedTokens = new VerifiedTokens();
  const contender = (name: string, check: (token: string) => Promise<unknown>): Contender => {
    let next = 0;
    return {
      name,
      concurrency: 1,
      perCall: BATCH,
      work: async () => {
        for (let count = 0; count < BATCH; count += 1) {
          await check(tokens[next] ?? "");
          next = (next + 1) % tokens.length;
        }
      },
    };
  };
  return {
    remembered: contender(`tokens of ${users} users checked, remembered from before`, (token) =>
      verifiedTokens.verify(ring, token, clock),
    ),
    verified: contender("the same tokens checked by their ES256 signature", (token) =>
      verifySignedToken(ring, token, clock),
    ),
  };
}

function createRing(): KeyRing {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = {
    kid: "bench",
    algorithm: "ES256",
    purpose: "access_token",
    status: "current",
    key: publicKey,
    jwk: null,
  } as const;
  // All of its input is passed in: it does not query the database.
  return new KeyRing({ clock } as unknown as ConstructorParameters<typeof KeyRing>[0], {
    anonKey: "",
    serviceRoleKey: "",
    apiKeys: [],
    signingKeys: [key],
    currentSigningKey: { kid: key.kid, algorithm: key.algorithm, privateKey },
  });
}

function buildClaims(): Parameters<typeof signAccessToken>[1] {
  const iat = Math.floor(Date.now() / 1000);
  const sub = randomUUID();
  const email = `${sub}@example.com`;
  return {
    iss: "https://localhost:8443/auth/v1",
    sub,
    aud: "authenticated",
    exp: iat + LIFE_SECONDS,
    iat,
    email,
    phone: "",
    app_metadata: { provider: "email", providers: ["email"] },
    user_metadata: { sub, email, email_verified: true, phone_verified: false, full_name: "Ada Lovelace" },
    role: "authenticated",
    aal: "aal1",
    amr: [{ method: "password", timestamp: iat }],
    session_id: randomUUID(),
    is_anonymous: false,
  };
}
