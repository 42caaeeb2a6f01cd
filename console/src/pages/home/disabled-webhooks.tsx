import { useDisabledWebhooks } from "../../data/webhooks.ts";
import { Banner } from "../../components/banner.tsx";
import { explainDisabled } from "../../components/explain-disabled.ts";
import { Link } from "../../components/link.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";

/** Shown until the webhook is enabled again, because it receives no events meanwhile. */
export function DisabledWebhooks() {
  const { rows = [] } = useDisabledWebhooks();
  if (rows.length === 0) return null;
  return (
    <section aria-label="Disabled webhooks" className="grid grid-cols-1 gap-2">
      {rows.map(({ id, name, disabled_reason: reason, disabled_at: at }) => (
        <Banner key={id} tone="bad">
          <span className="wrap-anywhere">
            The webhook <Link to={`/webhooks/${id}`}>{name}</Link> was disabled{" "}
            {at !== null && <RelativeTime at={at} />}. {explainDisabled(reason ?? "")}
          </span>
        </Banner>
      ))}
    </section>
  );
}
