import type { Metadata } from "./metadata.ts";

/** An account that is about to be made, checked as far as it can be without looking at others. */
export interface Registration {
  readonly email: string;
  readonly passwordHash: string;
  readonly userMetadata: Metadata;
}
