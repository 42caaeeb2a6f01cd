import type { Grant } from "../../../data/agent-grants.ts";
import type { Tone } from "../../../components/badge.tsx";
import { formatCount, formatMoney } from "../../../components/formats.ts";

/** `names`: those of customers, by user id. */
export function nameAudience({ audience, claim, user_id: userId }: Grant, names: ReadonlyMap<string, string | null>) {
  if (audience === "everyone") return "Everyone";
  if (audience === "claim") return `Accounts with ${JSON.stringify(claim)}`;
  return names.get(userId ?? "") ?? `User ${userId ?? ""}`;
}

/** Null for a grant that applies. */
export function describeState(grant: Grant): { readonly label: string; readonly tone: Tone } | null {
  const { runs_per_day: runs, expires_at: until, audience, accepted_at: accepted, declined_at: declined } = grant;
  if (runs === 0) return { label: "Blocked", tone: "bad" };
  if (until !== null && Date.parse(until) <= Date.now()) return { label: "Expired", tone: "neutral" };
  if (audience !== "user" || accepted !== null) return null;
  return declined === null ? { label: "Offered", tone: "thinking" } : { label: "Declined", tone: "neutral" };
}

export function listTerms(grant: Grant): readonly string[] {
  const { runs_per_day: runs, cost_per_day: cost, total_runs_per_day: allRuns, total_cost_per_day: allCost } = grant;
  return [
    grant.payer === "asker" ? "the customer pays" : "you pay",
    grant.approver === "asker" ? "the customer approves tool calls" : "you approve tool calls",
    grant.transcripts === "owner" ? "you read the conversations" : "conversations are private",
    runs !== null && `${formatCount(runs)} runs a day each`,
    cost !== null && `${formatMoney(cost)} a day each`,
    allRuns !== null && `${formatCount(allRuns)} runs a day in all`,
    allCost !== null && `${formatMoney(allCost)} a day in all`,
    grant.include_anonymous && "also anonymous users",
    grant.accepts_messages && "accepts message lists",
    grant.accepts_client_tools && "accepts tools of the app",
    grant.shows_owner && "shows your name",
    grant.audience === "claim" && grant.priority !== 0 && `priority ${grant.priority}`,
  ].filter((term) => typeof term === "string");
}
