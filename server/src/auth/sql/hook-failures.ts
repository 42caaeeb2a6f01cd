import { type Queryable, selectRows } from "./query.ts";

/** One row for each reason, so that a hook that is away fills no table. */
export async function recordHookFailure(db: Queryable, hook: string, reason: string): Promise<void> {
  await db.query(
    `insert into private.hook_failures as f (hook, reason) values ($1, $2)
     on conflict (hook, reason) do update set count = f.count + 1, failed_at = now()`,
    [hook, reason],
  );
}

export interface HookFailure {
  readonly hook: string;
  readonly reason: string;
  readonly at: Date;
  readonly count: number;
}

/** The latest first. */
export function selectHookFailures(db: Queryable): Promise<HookFailure[]> {
  return selectRows(
    db,
    `select hook, reason, failed_at as at, count::float8 as count
       from private.hook_failures order by failed_at desc, reason limit 100`,
  );
}
