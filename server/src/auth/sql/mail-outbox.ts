import type { AccountChangeNote } from "../mail/mail.ts";
import type { Queryable } from "../../db/index.ts";
import { selectRows } from "./query.ts";

/** A row of the outbox that one worker holds a lease on. */
export interface ClaimedMail {
  readonly id: string;
  readonly kind: string;
  /** The recipient; null when the account has no confirmed address, or is banned. */
  readonly to: string | null;
  readonly userId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  /** Includes this claim. */
  readonly attempts: number;
  readonly createdAt: Date;
}

interface MailClaim {
  /** Rows of other kinds are left for nodes that know them. */
  readonly kinds: readonly string[];
  readonly maxRows: number;
  readonly leaseSeconds: number;
}

/** The database's clock decides what is due, so that all nodes agree on leases. */
export function claimMails(db: Queryable, { kinds, maxRows, leaseSeconds }: MailClaim): Promise<ClaimedMail[]> {
  return selectRows(
    db,
    `with due as materialized (
       select id from private.mail_outbox
       where ended_at is null and due_at <= now() and kind = any ($1)
       order by due_at limit $2 for update skip locked
     ), claimed as (
       update private.mail_outbox o set attempts = o.attempts + 1, due_at = now() + make_interval(secs => $3)
       from due where o.id = due.id
       returning o.*
     )
     select c.id, c.kind, coalesce(c.email, u.email) as "to", c.user_id as "userId", c.data, c.attempts, c.created_at as "createdAt"
     from claimed c
     left join auth.users u on u.id = c.user_id and u.email_confirmed_at is not null and u.deleted_at is null
       and coalesce(u.banned_until <= now(), true)
     order by c.created_at, c.id`,
    [kinds, maxRows, leaseSeconds],
  );
}

/** The time until the next mail is due; Infinity: none will be. */
export async function selectNextMailMs(db: Queryable, kinds: readonly string[]): Promise<number> {
  const [next] = await selectRows<{ readonly waitMs: number | null }>(
    db,
    `select (extract(epoch from min(due_at) - now()) * 1000)::float8 as "waitMs"
     from private.mail_outbox where ended_at is null and kind = any ($1)`,
    [kinds],
  );
  return next?.waitMs ?? Number.POSITIVE_INFINITY;
}

export type MailOutcome = "sent" | "obsolete" | "undeliverable";

type Held = Pick<ClaimedMail, "id" | "attempts">;

interface NewMail {
  readonly kind: string;
  readonly email: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export async function insertMail(db: Queryable, { kind, email, data }: NewMail): Promise<void> {
  await db.query("insert into private.mail_outbox (kind, email, data) values ($1, $2, $3)", [
    kind,
    email,
    JSON.stringify(data),
  ]);
}

interface NewChangeMail {
  readonly email: string;
  readonly change: AccountChangeNote;
  /** The least time between two of these mails to one address. */
  readonly intervalSeconds: number;
}

/** The kind of the mails about changes of an account. */
export const CHANGE_MAIL = "account_changed";
const MAX_CHANGES = 50;

/** Changes that follow each other quickly are one mail. It goes to the address, because the account can lose it, or be deleted. */
export async function insertChangeMail(db: Queryable, mail: NewChangeMail): Promise<void> {
  await db.query(
    `insert into private.mail_outbox as o (kind, email, data, due_at)
     values ('${CHANGE_MAIL}', $1, jsonb_build_object('changes', jsonb_build_array($2::jsonb)),
             greatest(now(), (select max(m.ended_at) from private.mail_outbox m
                              where m.kind = '${CHANGE_MAIL}' and m.email = $1) + make_interval(secs => $3)))
     on conflict (email) where kind = '${CHANGE_MAIL}' and attempts = 0 and ended_at is null do update
       set data = case when jsonb_array_length(o.data -> 'changes') < ${MAX_CHANGES}
                       then jsonb_build_object('changes', (o.data -> 'changes') || (excluded.data -> 'changes'))
                       else o.data end`,
    [mail.email, JSON.stringify(mail.change), mail.intervalSeconds],
  );
}

/** Instead of `endMail`, for rows that nothing needs afterwards. */
export async function deleteMail(db: Queryable, { id, attempts }: Held): Promise<void> {
  await db.query("delete from private.mail_outbox where id = $1 and attempts = $2", [id, attempts]);
}

/** Does nothing when the lease expired and another worker has claimed the row. */
export async function endMail(db: Queryable, { id, attempts }: Held, outcome: MailOutcome): Promise<void> {
  await db.query(
    `update private.mail_outbox set ended_at = now(), outcome = $3
     where id = $1 and attempts = $2 and ended_at is null`,
    [id, attempts, outcome],
  );
}

export async function postponeMail(db: Queryable, { id, attempts }: Held, delaySeconds: number): Promise<void> {
  await db.query(
    `update private.mail_outbox set due_at = now() + make_interval(secs => $3)
     where id = $1 and attempts = $2 and ended_at is null`,
    [id, attempts, delaySeconds],
  );
}
