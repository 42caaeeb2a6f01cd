import { useEffect, useState } from "react";
import { useParams } from "react-router";
import { type Attempt, useAttempts } from "../../../data/attempts.ts";
import { type Delivery, useDeliveriesOfEvent, useDelivery } from "../../../data/deliveries.ts";
import { useWebhook, useWebhookNames, type Webhook } from "../../../data/webhooks.ts";
import type { Pages } from "../../../data/rows.ts";
import { Banner } from "../../../components/banner.tsx";
import { CardSection } from "../../../components/card.tsx";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { JsonView } from "../../../components/json-view.tsx";
import { Link } from "../../../components/link.tsx";
import { PageNotLoaded } from "../../../components/no-such-row.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { ListSkeleton } from "../../../components/skeleton.tsx";
import { StatusBadge, StatusDot } from "../../../components/status-dot.tsx";
import { Field } from "../../../components/field.tsx";
import { formatDuration, formatExact } from "../../../components/formats.ts";
import { Select } from "../../../components/select.tsx";
import { TextDifference } from "../../../components/text-difference.tsx";
import { CopyButton } from "../../../components/copy-button.tsx";
import { Facts } from "../../../components/facts.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { AttemptsTimeline } from "./attempts-timeline.tsx";
import { DeliveryActions } from "./delivery-actions.tsx";
import { SignatureCard } from "./signature-card.tsx";
import { Countdown } from "../countdown.tsx";

export function DeliveryPage() {
  const { webhookId = "", deliveryId = "" } = useParams();
  const delivery = useDelivery(deliveryId);
  const webhook = useWebhook(webhookId);
  if (delivery.rows?.id !== deliveryId) return <PageNotLoaded noun="delivery" read={delivery} />;
  if (webhook.rows === undefined) return <PageNotLoaded noun="webhook" read={webhook} />;
  return <Shown delivery={delivery.rows} webhook={webhook.rows} onChanged={delivery.reload} />;
}

interface ShownProps {
  readonly delivery: Delivery;
  readonly webhook: Webhook;
  onChanged(): void;
}

function Shown({ delivery, webhook, onChanged }: ShownProps) {
  const attempts = useAttempts(delivery.id);
  const { reload } = attempts;
  // A change of the delivery means that there was another attempt.
  useEffect(() => {
    if (delivery.attempts > 0) reload();
  }, [delivery.attempts, delivery.status, reload]);
  return (
    <>
      <PageHeader
        title={delivery.event_type}
        crumbs={[
          { label: "Webhooks", to: "/webhooks" },
          { label: webhook.name, to: `/webhooks/${webhook.id}` },
        ]}
        trailing={<StatusBadge status={delivery.status} />}
        actions={<DeliveryActions delivery={delivery} webhook={webhook} onChanged={onChanged} />}
      />
      <div className="grid grid-cols-1 items-start gap-5 xl:grid-cols-[minmax(0,1fr)_23rem]">
        <div className="grid min-w-0 grid-cols-1 gap-5">
          {delivery.status === "failed" && !webhook.is_active && (
            <Banner tone="warning" action={<Link to={`/webhooks/${webhook.id}`}>View webhook</Link>}>
              The webhook is disabled. Enable it to retry.
            </Banner>
          )}
          <CardSection title="Attempts" description={describeAttempts(delivery)}>
            <Attempts attempts={attempts} delivery={delivery} webhook={webhook} />
          </CardSection>
          {attempts.rows !== undefined && attempts.rows.length > 1 && <CompareAttempts attempts={attempts.rows} />}
          <CardSection title="Payload" description="The body is identical in all attempts.">
            <JsonView label="Event envelope" value={delivery.payload} depth={3} />
          </CardSection>
          <SignatureCard delivery={delivery} webhookId={webhook.id} />
        </div>
        <DeliveryDetails delivery={delivery} />
      </div>
    </>
  );
}

function Attempts(props: {
  readonly attempts: Pages<Attempt>;
  readonly delivery: Delivery;
  readonly webhook: Webhook;
}) {
  const { attempts, delivery, webhook } = props;
  const { rows, ...read } = attempts;
  if (rows === undefined)
    return <NotLoaded title="The attempts could not be loaded" read={read} skeleton={<ListSkeleton rows={2} />} />;
  return <AttemptsTimeline attempts={attempts} rows={rows} delivery={delivery} webhook={webhook} />;
}

function describeAttempts({ attempts, status }: Delivery): string {
  if (attempts === 0) return "No attempt yet.";
  const times = attempts === 1 ? "Once" : attempts === 2 ? "Twice" : `${attempts} times`;
  switch (status) {
    case "delivered":
      return attempts === 1
        ? "Delivered with the first attempt."
        : `Tried ${times.toLowerCase()}; the last attempt succeeded.`;
    case "failed":
      return `Tried ${times.toLowerCase()}; the delivery has failed.`;
    case "pending":
    case "retrying":
      return `Tried ${times.toLowerCase()} so far.`;
  }
}

/** Two attempts of a delivery line by line. `attempts`: the newest first, at least two. */
function CompareAttempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  const [chosen, setChosen] = useState<readonly [string | null, string | null]>([null, null]);
  const find = (id: string | null) => attempts.find((attempt) => attempt.id === id);
  const after = find(chosen[1]) ?? attempts[0];
  const before = find(chosen[0]) ?? attempts[1];
  if (before === undefined || after === undefined) return null;
  const choices = attempts.map((attempt) => ({ value: attempt.id, label: nameAttempt(attempt) }));
  return (
    <CardSection
      title="Compare attempts"
      description="The request body is the same in all of them; this is what the endpoint answered."
    >
      <div className="grid gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="First">
            <Select value={before.id} choices={choices} onChange={(id) => setChosen([id, after.id])} />
          </Field>
          <Field label="Second">
            <Select value={after.id} choices={choices} onChange={(id) => setChosen([before.id, id])} />
          </Field>
        </div>
        <TextDifference label="Exchange" before={describeExchange(before)} after={describeExchange(after)} />
        <TextDifference label="Response body" before={before.response_body ?? ""} after={after.response_body ?? ""} />
      </div>
    </CardSection>
  );
}

function nameAttempt({ attempt, status_code: status }: Attempt): string {
  return `Attempt ${attempt}: ${status ?? "no response"}`;
}

/** One line for each fact, so that only those that differ are marked. */
function describeExchange(attempt: Attempt): string {
  const { url, cause, status_code: status, error_code: code, error, response_time_ms: took, created_at: at } = attempt;
  return [
    `POST ${url}`,
    `Cause: ${cause}`,
    `Status: ${status ?? "no response"}`,
    ...(code === null ? [] : [`Error: ${code}`]),
    ...(error === null ? [] : [`Reason: ${error}`]),
    ...(took === null ? [] : [`Response time: ${formatDuration(took)}`]),
    `At: ${formatExact(at)}`,
  ].join("\n");
}

function DeliveryDetails({ delivery }: { readonly delivery: Delivery }) {
  const { id, event_id, attempts, next_retry_at, scheduled_for, delivered_at, created_at } = delivery;
  const nextAt = scheduled_for ?? next_retry_at;
  return (
    <div className="grid min-w-0 gap-5">
      <CardSection title="Delivery">
        <Facts
          rows={[
            ["Next attempt", nextAt && <Countdown to={nextAt} />],
            ["Attempts", attempts],
            ["Created", <RelativeTime at={created_at} />],
            ["Delivered", delivered_at && <RelativeTime at={delivered_at} />],
            ["Delivery id", <Id value={id} label="Copy the id of the delivery" />],
            ["Event id", <Id value={`evt_${event_id}`} label="Copy the id of the event" />],
          ]}
        />
      </CardSection>
      <SameEvent delivery={delivery} />
    </div>
  );
}

function Id({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <span className="flex items-center gap-1">
      <span className="min-w-0 font-mono text-xs break-all">{value}</span>
      <CopyButton text={value} label={label} />
    </span>
  );
}

/** Other deliveries of the same event. */
function SameEvent({ delivery }: { readonly delivery: Delivery }) {
  const { rows = [] } = useDeliveriesOfEvent(delivery.event_id);
  const { rows: names = [] } = useWebhookNames();
  const others = rows.filter(({ id }) => id !== delivery.id);
  if (others.length === 0) return null;
  return (
    <CardSection title="The same event">
      <ul className="grid gap-3">
        {others.map(({ id, webhook_id, status, created_at }) => (
          <li key={id} className="grid gap-0.5">
            <Link to={`/webhooks/${webhook_id}/deliveries/${id}`} className="flex items-center gap-2">
              <StatusDot status={status} label={status} />
              {names.find((webhook) => webhook.id === webhook_id)?.name ?? "Another webhook"}
            </Link>
            <span className="text-sm text-ink-faint">
              <RelativeTime at={created_at} />
            </span>
          </li>
        ))}
      </ul>
    </CardSection>
  );
}
