import type { Query } from "swarmbase/extension";

export interface AuditFilter {
  /** Entries before this one. */
  readonly before: string | null;
  readonly userId: string | null;
  readonly action: string | null;
  readonly target: string | null;
  readonly requestId: string | null;
  readonly limit: number;
}

/** The newest first. The address of an operator whose account was deleted is null. */
export function selectAudit(query: Query, filter: AuditFilter): Promise<readonly object[]> {
  const { before, userId, action, target, requestId, limit } = filter;
  return query(
    `select a.id::text, a.created_at, a.actor, a.user_id, u.email, a.action, a.target, a.request_id, a.outcome,
            a.status, a.details
       from ext_operator.audit a left join auth.users u on u.id = a.user_id
      where ($1::bigint is null or a.id < $1)
        and ($2::uuid is null or a.user_id = $2)
        and ($3::text is null or starts_with(a.action, $3))
        and ($4::text is null or a.target = $4)
        and ($5::text is null or a.request_id = $5)
      order by a.id desc
      limit $6`,
    [before, userId, action, target, requestId, limit],
  );
}

export async function deleteOldAudit(query: Query, maxAgeDays: number): Promise<void> {
  await query("select ext_operator.delete_old_audit($1)", [maxAgeDays]);
}
