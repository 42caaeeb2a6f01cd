import type { ReactNode } from "react";
import type { Health } from "../../../data/webhook-health.ts";
import { formatCount, formatPercent } from "../../../parts/formats.ts";
import { Link } from "../../../parts/link.tsx";
import { Skeleton } from "../../../parts/skeleton.tsx";
import { Stat } from "../../../parts/stat.tsx";
import { rateOf } from "../list/success-rate.tsx";

/** The last day in four figures. */
export function HealthFigures({ health }: { readonly health: Health | undefined }) {
  const say = (value: (known: Health) => ReactNode) =>
    health === undefined ? <Skeleton className="my-1 h-4.5 w-16" /> : value(health);
  return (
    <section aria-label="The last 24 hours" className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat
        label="Success, last 24 h"
        value={say((known) => {
          const rate = rateOf(known);
          return rate === null ? "–" : formatPercent(rate);
        })}
      />
      <Stat label="Delivered" value={say(({ delivered }) => formatCount(delivered))} />
      <Stat label="Waiting" value={say(({ waiting }) => formatCount(waiting))} />
      <Stat
        label="Failed"
        value={say(({ failed }) =>
          failed === 0 ? (
            "0"
          ) : (
            <Link to="?status=failed" className="font-semibold">
              {formatCount(failed)}
            </Link>
          ),
        )}
      />
    </section>
  );
}
