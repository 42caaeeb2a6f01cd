import { isRecord } from "../../json/index.ts";
import { oauthError } from "./oauth-error.ts";

const MAX_LENGTH = 2_048;
const PRINTABLE = /^[\x20-\x7e]*$/;

export interface Parameters {
  /** Parameters without a value count as absent (RFC 6749, section 3.1). */
  get(name: string): string | undefined;
  /** Why the request cannot be understood; null means that it can. A parameter with a fault has no value. */
  readonly fault: string | null;
}

/** Reads a query or a form, or a JSON object in place of one. */
export function readParameters(given: unknown): Parameters {
  const values = new Map<string, string>();
  const faulty = new Map<string, string>();
  for (const [name, value] of entriesOf(given)) {
    if (values.has(name)) faulty.set(name, "is given twice");
    else if (typeof value !== "string") faulty.set(name, "must be a text");
    else if (value.length > MAX_LENGTH) faulty.set(name, `has more than ${MAX_LENGTH} characters`);
    else if (!PRINTABLE.test(value)) faulty.set(name, "has characters that are not printable ASCII");
    values.set(name, String(value));
  }
  const [first] = faulty;
  return {
    get: (name) => (faulty.has(name) ? undefined : values.get(name) || undefined),
    fault: first === undefined ? null : `${describeName(first[0])} ${first[1]}`,
  };
}

/** For endpoints that have nobody to send the error to but the caller. */
export function requireParameters(given: unknown): Parameters {
  const parameters = readParameters(given);
  if (parameters.fault !== null) throw oauthError("invalid_request", parameters.fault);
  return parameters;
}

function entriesOf(given: unknown): Iterable<[string, unknown]> {
  if (typeof given === "string") return new URLSearchParams(given);
  return isRecord(given) ? Object.entries(given) : [];
}

/** Names come from outside, and the message is shown. */
function describeName(name: string): string {
  return /^\w{1,50}$/.test(name) ? name : "a parameter";
}
