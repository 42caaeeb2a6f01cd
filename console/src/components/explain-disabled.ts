/** Why the service disabled a webhook, and what to do about it. */
const REASONS: Readonly<Record<string, string>> = {
  endpoint_gone: "The endpoint answered 410 Gone. Correct the URL if it has moved, then enable the webhook.",
  endpoint_failing: "All deliveries have failed for days. Check the last attempts, then enable the webhook.",
  queue_full:
    "Too many deliveries were waiting for this endpoint. When it keeps up again, enable the webhook and recover the failed deliveries.",
  access_removed:
    "The address of the account was proven for the first time, and whoever had access before lost it. Enable the webhook if it is yours.",
  account_banned: "The account was suspended. The webhook is enabled again when the suspension ends.",
};

export function explainDisabled(reason: string): string {
  return REASONS[reason] ?? `The service disabled it: ${reason}.`;
}
