import type { Query } from "swarmbase/extension";
import type { StoredLine } from "../observe/log-buffer.ts";
import type { ProcessState } from "../observe/describe-process.ts";
import type { Sample } from "../observe/sample-metrics.ts";
import type { TimeRange } from "../read-input.ts";

export async function storeLogLines(query: Query, node: string, lines: readonly StoredLine[]): Promise<void> {
  await query("select ext_operator.store_log_lines($1, $2)", [node, JSON.stringify(lines)]);
}

export async function storeSample(query: Query, node: string, sample: Sample, state: ProcessState): Promise<void> {
  await query("select ext_operator.store_sample($1, $2, $3)", [node, JSON.stringify(sample), JSON.stringify(state)]);
}

export async function trimObservations(query: Query, maxLines: number): Promise<void> {
  await query("select ext_operator.trim_observations('24 hours', $1)", [maxLines]);
}

export async function mergeSamples(
  query: Query,
  { added, highest, byRequest }: Readonly<Record<"added" | "highest" | "byRequest", readonly string[]>>,
): Promise<void> {
  await query("select ext_operator.merge_samples($1, $2, $3)", [added, highest, byRequest]);
}

export interface LineFilter extends TimeRange {
  /** Of these levels. */
  readonly levels: readonly string[];
  readonly requestId: string | null;
  readonly userId: string | null;
  /** Part of the message, the event or a field. */
  readonly search: string | null;
}

interface LineRow extends StoredLine {
  readonly id: string;
  readonly node: string;
}

const COLUMNS = "l.id::text, l.created_at, l.node, l.level, l.event, l.message, l.request_id, l.user_id, l.fields";
const MATCHES = `
        l.level = any ($1)
        and ($2::text is null or l.request_id = $2)
        and ($3::text is null or l.user_id = $3)
        and ($4::text is null or strpos(lower(concat_ws(' ', l.event, l.message, l.fields::text)), lower($4)) > 0)
        and ($5::timestamptz is null or l.created_at >= $5)
        and ($6::timestamptz is null or l.created_at < $6)`;

function valuesOf({ levels, requestId, userId, search, since, until }: LineFilter): readonly unknown[] {
  return [levels, requestId, userId, search, since, until];
}

/** The newest first. */
export function selectLines(
  query: Query,
  filter: LineFilter,
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<readonly LineRow[]> {
  return query<LineRow>(
    `select ${COLUMNS} from ext_operator.log_lines l
      where ${MATCHES} and ($7::bigint is null or l.id < $7)
      order by l.id desc limit $8`,
    [...valuesOf(filter), before, limit],
  );
}

/** Lines that were stored after one, the oldest first. */
export function selectNewLines(
  query: Query,
  filter: LineFilter,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly LineRow[]> {
  return query<LineRow>(
    `select ${COLUMNS} from ext_operator.log_lines l
      where ${MATCHES} and l.id > $7
      order by l.id limit $8`,
    [...valuesOf(filter), after, limit],
  );
}

export async function findLastLineId(query: Query): Promise<string> {
  const [row] = await query<{ id: string | null }>("select max(l.id)::text as id from ext_operator.log_lines l");
  return row?.id ?? "0";
}

export interface MetricRow {
  readonly at: Date;
  readonly node: string;
  readonly name: string;
  readonly total: number;
  readonly mean: number;
  readonly peak: number;
  /** Each value times the requests of its sample, and these requests. */
  readonly weighted: number;
  readonly requests: number;
}

/** The samples of the last hours, by intervals. */
export function selectMetrics(query: Query, hours: number, stepSeconds: number): Promise<readonly MetricRow[]> {
  return query<MetricRow>(
    `select date_bin(make_interval(secs => $2), s.created_at, 'epoch') as at, s.node, m.key as name,
            sum(m.value::float8) as total, avg(m.value::float8) as mean, max(m.value::float8) as peak,
            coalesce(sum(m.value::float8 * (s.measured ->> 'requests')::float8), 0) as weighted,
            coalesce(sum((s.measured ->> 'requests')::float8), 0) as requests
       from ext_operator.metric_samples s cross join lateral jsonb_each_text(s.measured) m
      where s.created_at > now() - make_interval(hours => $1)
      group by 1, 2, 3
      order by 1`,
    [hours, stepSeconds],
  );
}

export interface NodeRow {
  readonly node: string;
  readonly seen_at: Date;
  readonly measured: Sample;
  /** Without members for a sample of an older release. */
  readonly process: Partial<ProcessState>;
}

/** The latest sample of each process that was there in the last minutes. */
export function selectNodes(query: Query, minutes: number): Promise<readonly NodeRow[]> {
  return query<NodeRow>(
    `select distinct on (s.node) s.node, s.created_at as seen_at, s.measured, s.process
       from ext_operator.metric_samples s
      where s.created_at > now() - make_interval(mins => $1)
      order by s.node, s.created_at desc`,
    [minutes],
  );
}
