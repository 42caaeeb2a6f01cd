import { useQuery } from "@tanstack/react-query";
import { getClient } from "./client.ts";
import { type Failure, unwrap } from "./failure.ts";
import { type ReadResult, useReading } from "./rows.ts";
import { unwrapCeremony } from "./webauthn.ts";
import { useCall, useWrite, type Write } from "./write.ts";

export interface Factor {
  readonly id: string;
  /** An app shows codes; a key is a security key or the device itself. */
  readonly kind: "app" | "key";
  readonly name: string;
  readonly createdAt: string;
}

/** What an authenticator app needs. Shown once. */
export interface Enrolment {
  readonly factorId: string;
  /** The QR code, as a data: URL. */
  readonly picture: string;
  readonly secret: string;
}

const NAMES = { app: "Authenticator", key: "Security key" } as const satisfies Record<Factor["kind"], string>;

const KEY = ["account", "factors"];
const RECOVERY_KEY = ["account", "recovery-codes"];

/** The verified factors. */
export function useFactors(): ReadResult<readonly Factor[]> {
  const query = useQuery<readonly Factor[], Failure>({
    queryKey: KEY,
    queryFn: async () => {
      const { totp, webauthn } = await unwrap(getClient().auth.mfa.listFactors());
      return [...totp, ...webauthn].map(({ id, factor_type: type, friendly_name: name, created_at: createdAt }) => {
        const kind = type === "totp" ? "app" : "key";
        return { id, kind, name: name === undefined || name === "" ? NAMES[kind] : name, createdAt };
      });
    },
  });
  return useReading(query);
}

export function useEnrol(): Write<string, Enrolment> {
  return useWrite({
    tables: [],
    write: async (client, name) => {
      const { id, totp } = await unwrap(client.auth.mfa.enroll({ factorType: "totp", friendlyName: name }));
      return { factorId: id, picture: totp.qr_code, secret: totp.secret };
    },
  });
}

/** Verifies the factor. Signing in then requires a code. */
export function useConfirmFactor(): Write<{ readonly factorId: string; readonly code: string }, boolean> {
  return useCall((client, passed) => unwrap(client.auth.mfa.challengeAndVerify(passed)), KEY);
}

/** Passes the second step of a sign-in with a code of the app. */
export async function passWithCode(factorId: string, code: string): Promise<void> {
  await unwrap(getClient().auth.mfa.challengeAndVerify({ factorId, code }));
}

/** Passes the second step of a sign-in with a key. */
export async function passWithKey(factorId: string): Promise<void> {
  await unwrapCeremony(getClient().auth.mfa.webauthn.authenticate({ factorId }));
}

export function useRemoveFactor(): Write<string, boolean> {
  return useCall(async (client, factorId) => {
    await unwrap(client.auth.mfa.unenroll({ factorId }));
    // Replaces the token, which still has the assurance level of the removed factor.
    await client.auth.refreshSession();
  }, KEY);
}

/** The number of unused recovery codes; null when the user has none yet. */
export function useRecoveryCodesLeft(): number | null | undefined {
  const { data } = useQuery<number | null, Failure>({
    queryKey: RECOVERY_KEY,
    queryFn: async () => {
      const { mfa } = getClient().auth;
      const { all } = await unwrap(mfa.listFactors());
      // Without codes, asking how many are left would fail.
      const hasCodes = all.some(({ factor_type: type }) => (type as string) === "recovery_code");
      return hasCodes ? (await unwrap(mfa.recoveryCodes.getStatus())).remaining : null;
    },
  });
  return data;
}

/** Creates recovery codes, and invalidates earlier ones. They are shown once. */
export function useRenewRecoveryCodes(): Write<boolean, readonly string[]> {
  return useWrite({
    tables: [],
    reloads: RECOVERY_KEY,
    write: async (client, hasCodes) => {
      const { recoveryCodes } = client.auth.mfa;
      const { codes } = await unwrap(hasCodes ? recoveryCodes.regenerate() : recoveryCodes.generate());
      return codes;
    },
  });
}
