import type { ReactNode } from "react";
import { type Delivery, useDeliveriesOfEvent } from "../../../data/deliveries.ts";
import { useWebhookNames } from "../../../data/webhooks.ts";
import { CardSection } from "../../../components/card.tsx";
import { CopyButton } from "../../../components/copy-button.tsx";
import { Link } from "../../../components/link.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { StatusDot } from "../../../components/status-dot.tsx";
import { Countdown } from "../countdown.tsx";

export function DeliveryDetails({ delivery }: { readonly delivery: Delivery }) {
  const { id, event_id, attempts, next_retry_at, scheduled_for, delivered_at, created_at } = delivery;
  const nextAt = scheduled_for ?? next_retry_at;
  return (
    <div className="grid min-w-0 gap-5">
      <CardSection title="Delivery">
        <dl className="grid gap-3.5">
          {nextAt !== null && (
            <Fact name="Next attempt">
              <span className="font-medium text-thinking">
                <Countdown to={nextAt} />
              </span>
            </Fact>
          )}
          <Fact name="Attempts">{attempts}</Fact>
          <Fact name="Made">
            <RelativeTime at={created_at} />
          </Fact>
          {delivered_at !== null && (
            <Fact name="Arrived">
              <RelativeTime at={delivered_at} />
            </Fact>
          )}
          <Fact name="Delivery id">
            <Id value={id} label="Copy the id of the delivery" />
          </Fact>
          <Fact name="Event id">
            <Id value={`evt_${event_id}`} label="Copy the id of the event" />
          </Fact>
        </dl>
      </CardSection>
      <SameEvent delivery={delivery} />
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="grid gap-0.5">
      <dt className="text-sm text-ink-faint">{name}</dt>
      <dd className="min-w-0 tabular-nums">{children}</dd>
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
