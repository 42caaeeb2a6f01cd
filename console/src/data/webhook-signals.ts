import { useSignalsOfAny } from "./signals.ts";
import { useInterval } from "./use-interval.ts";

/** A socket can join 100 channels, of which other parts of the page need some. */
const MAX_FOLLOWED = 50;
const INTERVAL_MS = 5_000;
const POLL_MS = 15_000;

/**
 * Calls after deliveries of any of these webhooks have changed, and when signals may have been missed. Beyond the number of
 * webhooks that can be followed, it also calls periodically.
 */
export function useDeliverySignals(webhookIds: readonly string[], onSignal: () => void): void {
  const followed = webhookIds.slice(0, MAX_FOLLOWED);
  const topics = followed.map((id) => `webhook:${id}`);
  useSignalsOfAny(topics, onSignal, INTERVAL_MS);
  useInterval(POLL_MS, onSignal, webhookIds.length > followed.length);
}
