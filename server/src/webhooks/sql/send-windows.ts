import type pg from "pg";

interface CountedSend {
  readonly isGranted: boolean;
  /** Sends left in the window. */
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly leftMs: number;
}

/** Counts one send of a user, unless the window has none left. */
export async function grantSend(pool: pg.Pool, userId: string, sendLimit: number): Promise<CountedSend> {
  const { rows } = await pool.query<CountedSend>(
    `select granted = 1 as "isGranted", remaining, left_ms as "leftMs"
     from private.grant_webhook_sends(array[$1::uuid], array[1], $2)`,
    [userId, sendLimit],
  );
  const [counted] = rows;
  if (counted === undefined) throw new Error("grant_webhook_sends returned no row");
  return counted;
}

export interface Refund {
  readonly userId: string;
  readonly windowOpenedAt: string;
  readonly sends: number;
}

/** Returns sends that were granted but not made to their windows. Has no effect on windows that have ended. */
export async function refundSends(pool: pg.Pool, refunds: readonly Refund[]): Promise<void> {
  await pool.query("select private.refund_webhook_sends($1, $2, $3)", [
    refunds.map(({ userId }) => userId),
    refunds.map(({ windowOpenedAt }) => windowOpenedAt),
    refunds.map(({ sends }) => sends),
  ]);
}
