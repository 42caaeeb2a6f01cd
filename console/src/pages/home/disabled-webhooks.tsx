import { useDisabledWebhooks } from "../../data/webhooks.ts";
import { Banner } from "../../components/banner.tsx";
import { explainDisabled } from "../../components/disabled-words.ts";
import { Link } from "../../components/link.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";

/** Stays until the webhook is switched on again: events pass it by meanwhile. */
export function DisabledWebhooks() {
  const { rows = [] } = useDisabledWebhooks();
  if (rows.length === 0) return null;
  return (
    <section aria-label="Webhooks that were switched off" className="grid grid-cols-1 gap-2">
      {rows.map(({ id, name, disabled_reason: reason, disabled_at: at }) => (
        <Banner key={id} tone="bad">
          <span className="wrap-anywhere">
            The webhook <Link to={`/webhooks/${id}`}>{name}</Link> was switched off{" "}
            {at !== null && <RelativeTime at={at} />}. {explainDisabled(reason ?? "")}
          </span>
        </Banner>
      ))}
    </section>
  );
}
