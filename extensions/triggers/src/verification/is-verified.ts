import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { readClaim, type SignedCall, type TriggerScheme } from "./read-claim.ts";

/** Whether a call is of the sender that the trigger expects, and not older than its replay window. */
export function isVerified(scheme: TriggerScheme, secret: string, call: SignedCall): boolean {
  const { algorithm, encoding, key, prefix, candidates, sentAtMs } = readClaim(scheme, secret, call);
  // Computed for each kind and also without a candidate: the time must not tell which triggers exist.
  const expected = createHmac(algorithm, key).update(prefix).update(call.body).digest(encoding);
  const isMatch =
    scheme.verification === "bearer"
      ? candidates.some((token) => isEqual(hash("sha256", token), hash("sha256", secret)))
      : candidates.some((candidate) => isEqual(candidate, expected));
  const isFresh = sentAtMs === null || Math.abs(call.nowMs - sentAtMs) <= scheme.replayWindowSeconds * 1_000;
  return isMatch && isFresh;
}

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
