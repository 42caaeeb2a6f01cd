import type { Query } from "swarmbase/extension";
import type { TimeRange } from "../read-input.ts";

export interface AuditFilter extends TimeRange {
  /** Entries before this one. */
  readonly before: string | null;
  /** One operator, or what is no operator. */
  readonly actor: { readonly id: string } | { readonly kind: "service" | "command" } | null;
  /** The begin of its name. */
  readonly action: string | null;
  readonly target: string | null;
  readonly subjectId: string | null;
  readonly requestId: string | null;
  /** Part of the target, of the name or the address of the subject, or the request id. */
  readonly search: string | null;
  /** Also what changes nothing and has read no texts of conversations. */
  readonly hasReads: boolean;
  readonly limit: number;
}

/** The newest first. Names and addresses of accounts that were deleted are null. */
export function selectAudit(query: Query, filter: AuditFilter): Promise<readonly object[]> {
  const { before, actor, action, target, subjectId, requestId, search, hasReads, since, until, limit } = filter;
  return query(
    `select a.id::text, a.created_at, a.actor, a.user_id, u.email, p.full_name as name, a.action, a.target,
            a.subject_id, s.email as subject_email, q.full_name as subject_name, a.request_id, a.outcome, a.status,
            a.is_read, a.details
       from ext_operator.audit a
       left join auth.users u on u.id = a.user_id
       left join public.profiles p on p.id = a.user_id
       left join auth.users s on s.id = a.subject_id
       left join public.profiles q on q.id = a.subject_id
      where ($1::bigint is null or a.id < $1)
        and ($2::uuid is null or a.user_id = $2)
        and ($3::text is null or a.actor = $3)
        and ($4::text is null or starts_with(a.action, $4))
        and ($5::text is null or a.target = $5)
        and ($6::uuid is null or a.subject_id = $6)
        and ($7::text is null or a.request_id = $7)
        and ($8::text is null or a.request_id = $8
             or strpos(lower(concat_ws(' ', a.target, s.email, q.full_name)), lower($8)) > 0)
        and ($9::boolean or not a.is_read or a.details ? 'content')
        and ($10::timestamptz is null or a.created_at >= $10)
        and ($11::timestamptz is null or a.created_at < $11)
      order by a.id desc
      limit $12`,
    [
      before,
      actor !== null && "id" in actor ? actor.id : null,
      actor !== null && "kind" in actor ? actor.kind : null,
      action,
      target,
      subjectId,
      requestId,
      search,
      hasReads,
      since,
      until,
      limit,
    ],
  );
}

export async function deleteOldAudit(query: Query, maxAgeDays: number): Promise<void> {
  await query("select ext_operator.delete_old_audit($1)", [maxAgeDays]);
}
