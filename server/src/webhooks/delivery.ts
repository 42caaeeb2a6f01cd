/** What the webhook determines of a delivery. */
interface DeliveryTarget {
  readonly userId: string;
  readonly url: string;
  readonly secret: string;
  /** Replaced secrets in their grace period, newest first. */
  readonly previousSecrets: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly maxRetries: number;
  readonly timeoutMs: number;
}

/** Everything an attempt needs, read in one statement, so that it never mixes two versions of the webhook. */
export interface Delivery extends DeliveryTarget {
  readonly id: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** The envelope, byte for byte as stored. */
  readonly body: string;
  /** Recorded attempts of all rounds. */
  readonly attempts: number;
  /** Recorded attempts of earlier rounds. */
  readonly attemptsBefore: number;
  readonly cause: "schedule" | "manual" | "test" | "replay";
  /** The trace context of the request that caused the event or replayed it, where that request was recorded. */
  readonly traceparent: string | null;
}

/** The window that a send is counted in; nulls without a limit. The request must start before the window ends. */
interface SendWindow {
  /** Text, because the microseconds identify the window in the database. */
  readonly windowOpenedAt: string | null;
  /** Milliseconds from the claim to the end of the window. */
  readonly windowLeftMs: number | null;
}

export interface ClaimedDelivery extends Delivery, SendWindow {
  /** When the delivery was due before the claim, as text with microseconds, to restore on release. */
  readonly runAt: string;
}
