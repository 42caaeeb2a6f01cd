import type { Settings } from "../../config/index.ts";
import { authError } from "../auth-error.ts";

/** Longer passwords are rejected before anything is computed from them. */
const MAX_PASSWORD_LENGTH = 1024;

/** Counts code points, not UTF-16 units. */
function countCharacters(text: string): number {
  return Array.from(text).length;
}

export function isTooLong(password: string): boolean {
  // A character has at most two units, so a very long text is rejected without being read.
  return password.length > 2 * MAX_PASSWORD_LENGTH || countCharacters(password) > MAX_PASSWORD_LENGTH;
}

type PasswordRules = Pick<Settings, "authPasswordMinLength" | "authPasswordCharacters">;

export interface PasswordFaults {
  readonly reasons: readonly ("length" | "characters")[];
  readonly message: string;
}

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const DIGITS = "0123456789";
const SYMBOLS = "!@#$%^&*()_+-=[]{};'\\:\"|<>?,./`~";

const REQUIRED_SETS: Record<PasswordRules["authPasswordCharacters"], readonly string[]> = {
  any: [],
  "letters-digits": [LOWER + UPPER, DIGITS],
  "lower-upper-digits": [LOWER, UPPER, DIGITS],
  "lower-upper-digits-symbols": [LOWER, UPPER, DIGITS, SYMBOLS],
};

/** Returns what makes the password weak, or null. */
export function findPasswordFaults(password: string, rules: PasswordRules): PasswordFaults | null {
  const reasons: PasswordFaults["reasons"][number][] = [];
  const messages: string[] = [];
  if (countCharacters(password) < rules.authPasswordMinLength) {
    reasons.push("length");
    messages.push(`Password should be at least ${rules.authPasswordMinLength} characters.`);
  }
  const required = REQUIRED_SETS[rules.authPasswordCharacters];
  if (!required.every((set) => Array.from(password).some((character) => set.includes(character)))) {
    reasons.push("characters");
    messages.push(`Password should contain at least one character of each: ${required.join(", ")}.`);
  }
  return reasons.length === 0 ? null : { reasons, message: messages.join(" ") };
}

/** Throws unless the password is acceptable as a new one. */
export function checkNewPassword(password: string, rules: PasswordRules): void {
  if (isTooLong(password)) throw passwordTooLong();
  const faults = findPasswordFaults(password, rules);
  if (faults !== null) {
    throw authError("weak_password", faults.message, { members: { weak_password: { reasons: faults.reasons } } });
  }
}

export function passwordTooLong(): Error {
  return authError("validation_failed", `Password cannot be longer than ${MAX_PASSWORD_LENGTH} characters`);
}
