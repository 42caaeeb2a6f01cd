export type AttemptCause = "schedule" | "manual" | "test" | "replay";

/** All that an attempt needs, read together, so that a change of the webhook never mixes with what it was before. */
export interface Delivery {
  readonly id: string;
  readonly webhookId: string;
  readonly userId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** The envelope, byte for byte as it is stored. */
  readonly body: string;
  /** Attempts whose outcome was recorded, in all rounds. */
  readonly attempts: number;
  /** Those of rounds that ended before this one began. */
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
