import { GRANT_PARTIES, GRANT_TRANSCRIPTS, type Json } from "@swarmbase/sdk";
import { boolean, type Check, choice, FINE, fault, time } from "./checks.ts";

interface Term {
  readonly check: Check;
  readonly default: Json;
}

const party: Term = { check: choice(GRANT_PARTIES), default: "owner" };
const flag: Term = { check: boolean, default: false };
const limit = (isWhole: boolean): Term => ({
  check: (value) =>
    value === null || (typeof value === "number" && value >= 0 && (!isWhole || Number.isInteger(value)))
      ? FINE
      : fault(`must be ${isWhole ? "an integer" : "a number"} that is not negative`),
  default: null,
});

/** The terms of a grant, in the order in which `pull` writes them. */
export const GRANT_TERMS: Readonly<Record<string, Term>> = {
  include_anonymous: flag,
  priority: {
    check: (value) => (Number.isSafeInteger(value) ? FINE : fault("must be an integer")),
    default: 0,
  },
  agent_version: limit(true),
  approver: party,
  payer: party,
  runs_per_day: limit(true),
  cost_per_day: limit(false),
  total_runs_per_day: limit(true),
  total_cost_per_day: limit(false),
  transcripts: { check: choice(GRANT_TRANSCRIPTS), default: "private" },
  accepts_messages: flag,
  accepts_client_tools: flag,
  shows_owner: flag,
  expires_at: { check: time, default: null },
};

/** As `Date` writes it: the service and files may write the same time in other ways. */
export function normaliseTerm(name: string, value: Json): Json {
  return name === "expires_at" && typeof value === "string" ? new Date(value).toISOString() : value;
}
