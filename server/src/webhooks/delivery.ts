export type AttemptCause = "schedule" | "manual" | "test" | "replay";

/** Everything an attempt needs, read in one statement, so that it never mixes two versions of the webhook. */
export interface Delivery {
  readonly id: string;
  readonly webhookId: string;
  readonly userId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** The envelope, byte for byte as stored. */
  readonly body: string;
  /** Recorded attempts of all rounds. */
  readonly attempts: number;
  /** Recorded attempts of earlier rounds. */
  readonly attemptsBefore: number;
  readonly cause: AttemptCause;
  readonly url: string;
  readonly secret: string;
  /** Replaced secrets in their grace period, newest first. */
  readonly previousSecrets: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly maxRetries: number;
  readonly timeoutMs: number;
}
