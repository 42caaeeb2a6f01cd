import type { AmrEntry } from "../tokens/access-claims.ts";

export interface SessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly aal: "aal1" | "aal2";
  readonly amr: readonly AmrEntry[];
  readonly factor_id: string | null;
  readonly refresh_key_wrapped: Buffer;
  /** A bigint, which the driver gives as text. */
  readonly refresh_counter: string;
  readonly refreshed_at: Date | null;
  readonly not_after: Date | null;
  readonly user_agent: string | null;
  readonly ip: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}
