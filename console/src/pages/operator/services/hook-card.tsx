import type { ServiceHook } from "../../../data/operator-sign-in.ts";
import { Badge } from "../../../components/badge.tsx";
import { CardSection } from "../../../components/card.tsx";
import { formatCount, formatDuration } from "../../../components/formats.ts";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { Facts } from "../../../components/facts.tsx";

const KINDS: Readonly<Record<ServiceHook["kind"], string>> = { sql: "SQL function", http: "HTTPS call" };
const POLICIES: Readonly<Record<ServiceHook["policy"], string>> = {
  deny: "the call is refused",
  continue: "the call goes on",
};

export function HookCard({ hook }: { readonly hook: ServiceHook }) {
  const { name, kind, target, policy, timeout_ms: timeoutMs, failures } = hook;
  return (
    <CardSection
      title={`Hook ${name}`}
      description={KINDS[kind]}
      action={
        <Badge tone={failures.length > 0 ? "bad" : "good"}>{failures.length > 0 ? "Has failed" : "No failures"}</Badge>
      }
    >
      <div className="grid gap-4">
        <Facts
          rows={[
            ["Target", target],
            ["If it fails", POLICIES[policy]],
            ["Time limit", formatDuration(timeoutMs)],
          ]}
        />
        {failures.length > 0 && (
          <ul aria-label={`Failures of ${name}`} className="divide-y divide-line rounded-md border border-line">
            {failures.map(({ at, reason, count }) => (
              <li key={`${at} ${reason}`} className="grid gap-0.5 px-3 py-2 text-sm">
                <span className="wrap-anywhere">{reason}</span>
                <span className="text-ink-faint">
                  {count > 1 && `${formatCount(count)} times, the latest `}
                  <RelativeTime at={at} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </CardSection>
  );
}
