const LINES = 30;

/** What the service has recorded, the newest first, without texts of conversations. The parameter leaves out what succeeded. */
export const LOGS = {
  runs: `select id, status, stop_reason, error, turn_count, created_at, finished_at from public.runs
    where not $1 or status in ('failed', 'partial') order by id desc limit ${LINES}`,
  tool_calls: `select id, run_id, tool_name, status, error, attempts, duration_ms, created_at from public.tool_executions
    where not $1 or status in ('failed', 'denied', 'timed_out') order by id desc limit ${LINES}`,
  model_calls: `select id, run_id, framework, model, attempt, status, error, duration_ms, created_at from public.model_calls
    where not $1 or status = 'failed' order by id desc limit ${LINES}`,
  deliveries: `select d.id, d.event_type, w.name as webhook, split_part(w.url, '?', 1) as url, w.disabled_reason, d.status,
      d.status_code, d.attempts, d.next_retry_at, d.created_at, last.error, left(last.response_body, 300) as response
    from public.webhook_deliveries d
    join public.webhooks w on w.id = d.webhook_id
    left join lateral (select a.error, a.response_body from public.webhook_delivery_attempts a
      where a.delivery_id = d.id order by a.id desc limit 1) last on true
    where not $1 or d.status in ('failed', 'retrying') order by d.id desc limit ${LINES}`,
  service: `select created_at, node, level, event, message, request_id from ext_operator.log_lines
    where not $1 or level in ('warn', 'error', 'fatal') order by id desc limit ${LINES}`,
} as const;

export type LogName = keyof typeof LOGS;
