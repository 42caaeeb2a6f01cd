import pg from "pg";
import type { Queryable } from "../../db/index.ts";
import { getRow, selectRows } from "./query.ts";

export interface HookFunctionCall {
  readonly schema: string;
  readonly function: string;
  readonly event: string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** A function can catch the error of the time limit. Then its connection is closed, which the server notices soon. */
const MARGIN_MS = 500;
const NOTICED_AFTER_MS = 1_000;

/**
 * Calls the function in a transaction of its own. Returns null when its answer is too large. The connection keeps no setting,
 * lock or temporary table of the function.
 */
export async function callHookFunction(pool: pg.Pool, call: HookFunctionCall): Promise<string | null> {
  const { event, timeoutMs, maxBytes } = call;
  const name = `${pg.escapeIdentifier(call.schema)}.${pg.escapeIdentifier(call.function)}`;
  const client = await pool.connect();
  let isReusable = false;
  try {
    await client.query(
      `begin; set local statement_timeout = ${timeoutMs}; set local client_connection_check_interval = ${NOTICED_AFTER_MS}`,
    );
    const statement = {
      text: `with called as materialized (select ${name}($1::jsonb)::text as answer)
             select case when octet_length(answer) <= $2 then coalesce(answer, '') end as answer,
                    octet_length(answer) > $2 as "isTooLarge" from called`,
      values: [event, maxBytes],
      query_timeout: timeoutMs + MARGIN_MS,
    };
    const { answer, isTooLarge } = await getRow<{ answer: string | null; isTooLarge: boolean | null }>(
      client,
      statement,
    );
    await client.query("commit");
    await client.query("discard all");
    isReusable = true;
    return isTooLarge === true ? null : (answer ?? "");
  } finally {
    client.release(!isReusable);
  }
}

/** One row for each reason, so that a hook that is away fills no table. */
export async function recordHookFailure(db: Queryable, hook: string, reason: string): Promise<void> {
  await db.query(
    `insert into private.hook_failures as f (hook, reason) values ($1, $2)
     on conflict (hook, reason) do update set count = f.count + 1, failed_at = now()`,
    [hook, reason],
  );
}

interface HookFailure {
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
