import type { RunStatus } from "@swarmbase/sdk";
import type { Trigger, TriggerCall } from "../../../data/triggers.ts";
import { formatExact } from "../../../components/formats.ts";
import { describePause, labelOf, type StatusLabel } from "../targeted/labels.ts";

export const VERIFICATIONS = [
  { value: "stripe", label: "Stripe" },
  { value: "github", label: "GitHub" },
  { value: "slack", label: "Slack" },
  { value: "standard_webhooks", label: "Standard Webhooks" },
  { value: "hmac", label: "An HMAC of the body" },
  { value: "bearer", label: "A bearer" },
] as const;

const CALLS: Readonly<Record<Exclude<TriggerCall["status"], RunStatus>, StatusLabel>> = {
  started: { status: "running", word: "Started" },
  rejected: { status: "failed", word: "Rejected" },
  deleted: { status: "inactive", word: "Run deleted" },
  loop_detected: { status: "failed", word: "Loop" },
};

export const describeCall = ({ status }: TriggerCall): StatusLabel => labelOf(status, CALLS);

/** Why the trigger accepts no calls, or what it has refused; null when there is nothing to say. */
export function describeHold(row: Trigger): string | null {
  const { has_secret, limited_at: limited, unverified_at: unverified } = row;
  const pause = describePause(row);
  if (pause !== null) return pause;
  if (!has_secret) return "It accepts no calls until it has a secret.";
  if (unverified !== null) return `A call with another signature was refused on ${formatExact(unverified)}.`;
  return limited === null ? null : `Calls beyond its limit were refused on ${formatExact(limited)}.`;
}
