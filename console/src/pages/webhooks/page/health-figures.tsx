import type { ReactNode } from "react";
import { HEALTH_HOURS, type Health } from "../../../data/webhook-health.ts";
import { formatCount, formatExact, formatPercent } from "../../../components/formats.ts";
import { Link } from "../../../components/link.tsx";
import { Skeleton } from "../../../components/skeleton.tsx";
import { Stat } from "../../../components/stat.tsx";

/** Key figures of the last day. */
export function HealthFigures({ health }: { readonly health: Health | undefined }) {
  const say = (value: (known: Health) => ReactNode) =>
    health === undefined ? <Skeleton className="my-1 h-4.5 w-16" /> : value(health);
  const countedSince = health?.countedSince ?? null;
  const span = countedSince === null ? `the last ${HEALTH_HOURS} h` : `since ${formatExact(countedSince)}`;
  return (
    <section aria-label={`Attempts of ${span}`} className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat
        label={`Success, last ${HEALTH_HOURS} h`}
        value={say(({ successRate }) => (successRate === null ? "–" : formatPercent(successRate)))}
        {...(health !== undefined &&
          health.attempts > 0 && {
            note: `${formatCount(health.delivered)} of ${formatCount(health.attempts)} attempts, without tests${countedSince === null ? "" : `, ${span}`}`,
          })}
      />
      <Stat label="Delivered" value={say(({ delivered }) => formatCount(delivered))} />
      <Stat label="Waiting now" value={say(({ waiting }) => formatCount(waiting))} />
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
