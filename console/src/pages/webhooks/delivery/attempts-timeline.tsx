import { Check, Clock, X } from "lucide-react";
import { STANDARD_WEBHOOK_HEADERS, WEBHOOK_HEADERS } from "@swarmbase/sdk";
import type { Attempt } from "../../../data/attempts.ts";
import type { Delivery } from "../../../data/deliveries.ts";
import type { Pages } from "../../../data/rows.ts";
import type { Webhook } from "../../../data/webhooks.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { CodeBlock } from "../../../components/code-block.tsx";
import { formatDuration } from "../../../components/formats.ts";
import { Link } from "../../../components/link.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { Timeline, type TimelineItem } from "../../../components/timeline.tsx";
import { Countdown } from "../countdown.tsx";

const FRESH = "new for each attempt";
const CAUSES: Readonly<Record<Attempt["cause"], string | null>> = {
  schedule: null,
  manual: "Manual",
  test: "Test",
  replay: "Replay",
};

interface AttemptsTimelineProps {
  readonly attempts: Pages<Attempt>;
  readonly rows: readonly Attempt[];
  readonly delivery: Delivery;
  readonly webhook: Webhook;
}

/** The attempts with request and response, the next one at the top. */
export function AttemptsTimeline({ attempts, rows, delivery, webhook }: AttemptsTimelineProps) {
  const waiting = describeWaiting(delivery, webhook);
  const items = [...(waiting === null ? [] : [waiting]), ...rows.map((row) => describe(row, delivery, webhook))];
  return (
    <div className="grid gap-4">
      <Timeline label="Attempts" items={items} />
      {attempts.hasMore && (
        <Button size="small" isBusy={attempts.isLoadingMore} onClick={attempts.loadMore} className="justify-self-start">
          Earlier attempts
        </Button>
      )}
    </div>
  );
}

function describeWaiting(delivery: Delivery, { is_active }: Webhook): TimelineItem | null {
  const { status, next_retry_at, scheduled_for } = delivery;
  if (status !== "pending" && status !== "retrying") return null;
  if (!is_active) return { key: "next", title: "Held: the webhook is disabled", tone: "neutral", icon: <Clock /> };
  if (scheduled_for !== null)
    return {
      key: "next",
      title: "Waiting for the rate limit",
      tone: "thinking",
      icon: <Clock />,
      trailing: <Countdown to={scheduled_for} />,
      children: (
        <p className="text-ink-soft">
          The rate limit for webhook sends is used up, so the delivery waits for a later minute. Waiting does not count
          as an attempt. <Link to="/api">View limits</Link>
        </p>
      ),
    };
  return {
    key: "next",
    title: status === "pending" ? "Pending" : "Next attempt",
    tone: "thinking",
    icon: <Clock />,
    ...(next_retry_at !== null && { trailing: <Countdown to={next_retry_at} /> }),
  };
}

function describe(attempt: Attempt, delivery: Delivery, webhook: Webhook): TimelineItem {
  const isGood = attempt.status_code !== null && attempt.status_code >= 200 && attempt.status_code < 300;
  const cause = CAUSES[attempt.cause];
  return {
    key: attempt.id,
    tone: isGood ? "good" : "bad",
    icon: isGood ? <Check strokeWidth={3} /> : <X strokeWidth={3} />,
    title: (
      <span className="flex flex-wrap items-center gap-2">
        {`Attempt ${attempt.attempt}: ${attempt.status_code === null ? "no response" : `status ${attempt.status_code}`}`}
        {cause !== null && <Badge>{cause}</Badge>}
      </span>
    ),
    trailing: (
      <>
        {attempt.response_time_ms !== null && `${formatDuration(attempt.response_time_ms)} · `}
        <RelativeTime at={attempt.created_at} />
      </>
    ),
    children: <Exchange attempt={attempt} delivery={delivery} webhook={webhook} />,
  };
}

interface ExchangeProps {
  readonly attempt: Attempt;
  readonly delivery: Delivery;
  readonly webhook: Webhook;
}

function Exchange({ attempt, delivery, webhook }: ExchangeProps) {
  const { error, error_code, response_body, response_truncated, url } = attempt;
  return (
    <div className="grid min-w-0 gap-2">
      <p className="font-mono text-xs break-all text-ink-faint">POST {url}</p>
      {error !== null && (
        <p className="text-ink-soft">
          {error} {error_code !== null && <Badge tone="bad">{error_code}</Badge>}
        </p>
      )}
      {response_body !== null && response_body !== "" && (
        <CodeBlock
          label={response_truncated ? "Response body, the first 64 KiB" : "Response body"}
          code={response_body}
          isWrapped
        />
      )}
      {response_body === "" && <p className="text-sm text-ink-faint">The response has no body.</p>}
      <RequestHeaders delivery={delivery} webhook={webhook} attempt={attempt} />
    </div>
  );
}

interface RequestHeadersProps {
  readonly attempt: Attempt;
  readonly delivery: Delivery;
  readonly webhook: Webhook;
}

/** The headers of an attempt. Signatures are not stored, but can be computed with the secret. */
function RequestHeaders({ delivery, webhook }: RequestHeadersProps) {
  const lines: readonly (readonly [name: string, value: string, isLiteral: boolean])[] = [
    ["Content-Type", "application/json", true],
    ["User-Agent", "Swarmbase-Webhooks/1", true],
    [WEBHOOK_HEADERS.event, delivery.event_type, true],
    [WEBHOOK_HEADERS.delivery, delivery.id, true],
    [WEBHOOK_HEADERS.timestamp, `Unix seconds, ${FRESH}`, false],
    [WEBHOOK_HEADERS.signature, `sha256=…, ${FRESH}`, false],
    [STANDARD_WEBHOOK_HEADERS.id, `evt_${delivery.event_id}`, true],
    [STANDARD_WEBHOOK_HEADERS.timestamp, `same as ${WEBHOOK_HEADERS.timestamp}`, false],
    [STANDARD_WEBHOOK_HEADERS.signature, `v1,…, ${FRESH}`, false],
    ...webhook.header_names.map((name) => [name, "your custom header, with its current value", false] as const),
  ];
  return (
    <details className="text-sm">
      <summary className="w-fit rounded-sm text-ink-soft hover:text-ink">Request headers</summary>
      <dl className="mt-2 grid gap-x-4 gap-y-1 rounded-md border border-line bg-sunken p-3 sm:grid-cols-[max-content_minmax(0,1fr)]">
        {lines.map(([name, value, isLiteral]) => (
          <div key={name} className="contents">
            <dt className="font-mono text-xs text-ink-soft">{name}</dt>
            <dd className={isLiteral ? "font-mono text-xs break-all" : "text-xs text-ink-faint"}>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
