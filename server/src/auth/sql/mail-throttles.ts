import type { Queryable } from "../../db/index.ts";
import { findRow } from "./query.ts";

export interface ThrottleKey {
  readonly addressHash: Buffer;
  readonly slot: string;
}

interface ThrottleClaim extends ThrottleKey {
  readonly now: Date;
  readonly intervalSeconds: number;
}

/** Claims the slot and returns true when it is free. Claims of one slot are serialised. */
export async function claimThrottle(client: Queryable, claim: ThrottleClaim): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into auth.mail_throttles (address_hash, slot, sent_at) values ($1, $2, $3)
     on conflict (address_hash, slot) do update set sent_at = excluded.sent_at
       where auth.mail_throttles.sent_at <= excluded.sent_at - make_interval(secs => $4)`,
    [claim.addressHash, claim.slot, claim.now, claim.intervalSeconds],
  );
  return rowCount === 1;
}

export async function findThrottle(client: Queryable, key: ThrottleKey): Promise<Date | null> {
  const statement = "select sent_at from auth.mail_throttles where address_hash = $1 and slot = $2";
  return (await findRow<{ sent_at: Date }>(client, statement, [key.addressHash, key.slot]))?.sent_at ?? null;
}

/** `sentAt` is the time of the claim: a slot that was claimed again since is kept. */
export async function releaseThrottle(client: Queryable, key: ThrottleKey, sentAt: Date): Promise<void> {
  await client.query("delete from auth.mail_throttles where address_hash = $1 and slot = $2 and sent_at = $3", [
    key.addressHash,
    key.slot,
    sentAt,
  ]);
}
