/** Why the service switched a webhook off, and what to do about it. */
const REASONS: Readonly<Record<string, string>> = {
  endpoint_gone: "The endpoint answered 410 Gone. Correct the URL if it has moved, then switch the webhook on.",
  endpoint_failing: "Everything that was sent has failed for days. See what the last attempts say, then switch it on.",
  queue_full:
    "Too much was waiting for this endpoint. Once it keeps up again, switch it on and recover what has failed.",
  account_banned: "The account was suspended. The webhook goes on by itself when that ends.",
};

export function explainDisabled(reason: string): string {
  return REASONS[reason] ?? `The service switched it off: ${reason}.`;
}
