import type pg from "pg";

/** Runs that have not ended, by state. In two reads, because each has an index of its own. */
export async function countLiveRuns(pool: pg.Pool): Promise<readonly { status: string; count: number }[]> {
  const { rows } = await pool.query<{ status: string; count: number }>(
    `select states.status, coalesce(live.count, 0)::float8 as count
     from unnest(array['queued', 'running', 'requires_action']) as states (status)
     left join (
       select status, count(*) from public.runs where status in ('queued', 'requires_action') group by status
       union all
       select 'running', count(*) from public.runs where status = 'running'
     ) as live on live.status = states.status`,
  );
  return rows;
}
