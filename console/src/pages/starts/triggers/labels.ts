import type { RunStatus } from "@swarmbase/sdk";
import type { Trigger, TriggerCall } from "../../../data/triggers.ts";
import { formatExact } from "../../../components/formats.ts";
import type { Status } from "../../../components/status-dot.tsx";

export const VERIFICATIONS = [
  { value: "stripe", label: "Stripe" },
  { value: "github", label: "GitHub" },
  { value: "slack", label: "Slack" },
  { value: "standard_webhooks", label: "Standard Webhooks" },
  { value: "hmac", label: "An HMAC of the body" },
  { value: "bearer", label: "A bearer" },
] as const;

interface CallLabel {
  readonly status: Status;
  readonly word?: string;
}

const CALLS: Readonly<Record<Exclude<TriggerCall["status"], RunStatus>, CallLabel>> = {
  started: { status: "running", word: "Started" },
  rejected: { status: "failed", word: "Rejected" },
  deleted: { status: "inactive", word: "Run deleted" },
  loop_detected: { status: "failed", word: "Loop" },
};

export function describeCall({ status }: TriggerCall): CallLabel {
  return Object.hasOwn(CALLS, status) ? CALLS[status as keyof typeof CALLS] : { status: status as RunStatus };
}

const PAUSED: Readonly<Record<string, string>> = {
  failures: "It was paused after failures in a row.",
  UNAUTHORIZED: "It was stopped, because your account or its API key may not start runs any more.",
  PERMISSION_DENIED: "It was stopped, because you may not ask its agent any more.",
  FORBIDDEN: "It was stopped, because you may not write in its swarm any more.",
};

/** Why the trigger accepts no calls, or what it has refused; null when there is nothing to say. */
export function describeHold(row: Trigger): string | null {
  const { enabled, has_secret, paused_reason: reason, limited_at: limited, unverified_at: unverified } = row;
  if (reason !== null) return PAUSED[reason] ?? `It was stopped: ${reason}.`;
  if (!enabled) return "It is off.";
  if (!has_secret) return "It accepts no calls until it has a secret.";
  if (unverified !== null) return `A call with another signature was refused on ${formatExact(unverified)}.`;
  return limited === null ? null : `Calls beyond its limit were refused on ${formatExact(limited)}.`;
}
