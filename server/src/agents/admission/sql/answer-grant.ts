import type pg from "pg";
import { callValue } from "../../rejections/call-function.ts";

export interface GrantAnswer {
  readonly grantId: string;
  /** Whom the grant names. */
  readonly userId: string;
  readonly isAccepted: boolean;
}

export function answerGrant(
  pool: pg.Pool,
  { grantId, userId, isAccepted }: GrantAnswer,
): Promise<{ readonly grant_id: string; readonly agent_id: string }> {
  return callValue(pool, {
    name: "grants-answer",
    text: "select private.answer_agent_grant($1::uuid, $2::uuid, $3::boolean) as value",
    values: [grantId, userId, isAccepted],
  });
}
