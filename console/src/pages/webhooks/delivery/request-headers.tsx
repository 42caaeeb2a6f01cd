import { STANDARD_WEBHOOK_HEADERS, WEBHOOK_HEADERS } from "@swarmbase/sdk";
import type { Attempt } from "../../../data/attempts.ts";
import type { Delivery } from "../../../data/deliveries.ts";
import type { Webhook } from "../../../data/webhooks.ts";

export interface RequestHeadersProps {
  readonly attempt: Attempt;
  readonly delivery: Delivery;
  readonly webhook: Webhook;
}

const FRESH = "new for each attempt";

/** The headers of an attempt. Signatures are not stored, but can be computed with the secret. */
export function RequestHeaders({ delivery, webhook }: RequestHeadersProps) {
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
