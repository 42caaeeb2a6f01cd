import { useEffect } from "react";
import { useParams } from "react-router";
import { type Attempt, useAttempts } from "../../../data/attempts.ts";
import { type Delivery, useDelivery } from "../../../data/deliveries.ts";
import { useWebhook, type Webhook } from "../../../data/webhooks.ts";
import type { Pages } from "../../../data/rows.ts";
import { Banner } from "../../../components/banner.tsx";
import { CardSection } from "../../../components/card.tsx";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { JsonView } from "../../../components/json-view.tsx";
import { Link } from "../../../components/link.tsx";
import { PageNotLoaded } from "../../../components/no-such-row.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { ListSkeleton } from "../../../components/skeleton.tsx";
import { StatusBadge } from "../../../components/status-dot.tsx";
import { AttemptsTimeline } from "./attempts-timeline.tsx";
import { CompareAttempts } from "./compare-attempts.tsx";
import { DeliveryActions } from "./delivery-actions.tsx";
import { DeliveryDetails } from "./delivery-details.tsx";
import { SignatureCard } from "./signature-card.tsx";

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
            <Banner tone="warning" action={<Link to={`/webhooks/${webhook.id}`}>To the webhook</Link>}>
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
