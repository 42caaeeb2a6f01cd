import type { AuthContext } from "../auth-context.ts";
import { authError } from "../auth-error.ts";

/** How long a proof counts: as in GoTrue for what its clients call, and shorter for calls that only this service has. */
const PROOF_MS = { client: 24 * 60 * 60 * 1000, own: 10 * 60 * 1000 } as const;

interface Proof {
  /** An anonymous account has nothing to prove it with, and no owner but the holder of its session. */
  readonly is_anonymous: boolean;
  /** Of the session. */
  readonly proven_at: Date | null;
}

export interface ProofContext extends Pick<AuthContext, "clock"> {
  readonly settings: Pick<AuthContext["settings"], "authReauthenticate">;
}

/** A time in the future, written by a node whose clock is ahead, counts no longer than one in the past. */
function isProven({ clock, settings }: ProofContext, proof: Proof, withinMs: number): boolean {
  if (!settings.authReauthenticate || proof.is_anonymous) return true;
  if (proof.proven_at === null) return false;
  return Math.abs(clock.now().getTime() - proof.proven_at.getTime()) <= withinMs;
}

interface ProofRows {
  readonly user: Pick<Proof, "is_anonymous">;
  readonly session: Pick<Proof, "proven_at">;
}

/** Whether `requireClientProof` would accept the session. */
export function hasClientProof(context: ProofContext, { user, session }: ProofRows): boolean {
  return isProven(context, { is_anonymous: user.is_anonymous, proven_at: session.proven_at }, PROOF_MS.client);
}

/** For calls of GoTrue's clients, with its error. */
export function requireClientProof(context: ProofContext, rows: ProofRows, subject: string): void {
  if (hasClientProof(context, rows)) return;
  throw authError("reauthentication_needed", `${subject} requires reauthentication`);
}

/** For calls that only this service has. */
export function requireOwnProof(context: ProofContext, proof: Proof): void {
  if (isProven(context, proof, PROOF_MS.own)) return;
  throw authError("reauthentication_needed", OWN_MESSAGE, { status: 403 });
}

const OWN_MESSAGE =
  "Prove that it is you: sign in again, verify a factor, or send current_password or a nonce to PUT /auth/v1/user";
