import { CircleCheck, ShieldQuestion, TriangleAlert, Webhook } from "lucide-react";
import type { ReactNode } from "react";
import type { Approval } from "../../data/approvals.ts";
import type { RecentRun } from "../../data/recent-runs.ts";
import { isFailing, type WebhookSummary } from "../../data/webhook-summaries.ts";
import { explainDisabled } from "../../components/explain-disabled.ts";
import { Link } from "../../components/link.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { Panel } from "./panel.tsx";

interface AttentionProps {
  readonly approvals: readonly Approval[];
  readonly webhooks: readonly WebhookSummary[];
  readonly failedRuns: readonly RecentRun[];
  /** Invitations are answered above, so they only matter to the empty state. */
  readonly hasInvitations: boolean;
}

const MAX_LISTED = 5;

/** What only the user can settle: decisions, failing webhooks, failed runs. */
export function Attention({ approvals, webhooks, failedRuns, hasInvitations }: AttentionProps) {
  const failing = webhooks.filter(isFailing);
  const count = approvals.length + failing.length + failedRuns.length;
  return (
    <Panel title="Needs you" id="attention">
      {count === 0 ? (
        <p className="flex items-center gap-2.5 px-5 py-4 text-ink-soft">
          <CircleCheck className="size-4.5 shrink-0 text-good" aria-hidden />
          {hasInvitations ? "Nothing else. " : "Nothing. "}
          Approvals, failing webhooks, failed runs and invitations appear here.
        </p>
      ) : (
        <ul>
          {approvals.slice(0, MAX_LISTED).map(({ id, agentName, toolName, swarmName, expiresAt }) => (
            <Item key={id} icon={<ShieldQuestion className="text-thinking" />} to="/approvals" action="Decide">
              {agentName} wants to use <span className="font-mono text-sm">{toolName}</span> in{" "}
              {swarmName ?? "a private conversation"}
              {expiresAt !== null && (
                <>
                  . It is denied <RelativeTime at={expiresAt} />.
                </>
              )}
            </Item>
          ))}
          {approvals.length > MAX_LISTED && (
            <Item icon={<ShieldQuestion className="text-thinking" />} to="/approvals" action="All approvals">
              {approvals.length - MAX_LISTED} more tool calls wait for you
            </Item>
          )}
          {failing.map((webhook) => (
            <Item
              key={webhook.id}
              icon={<Webhook className="text-bad" />}
              to={`/webhooks/${webhook.id}`}
              action="View deliveries"
            >
              <WebhookText webhook={webhook} />
            </Item>
          ))}
          {failedRuns.slice(0, MAX_LISTED).map(({ id, swarms: { name }, error, created_at: at }) => (
            <Item key={id} icon={<TriangleAlert className="text-bad" />} to={`/runs/${id}`} action="View run">
              The last run in {name} failed <RelativeTime at={at} />
              {error === null ? "." : `: ${error.message}`}
            </Item>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function WebhookText({ webhook }: { readonly webhook: WebhookSummary }) {
  const { name, disabled_reason: reason, disabled_at: at, last } = webhook;
  const [newest] = last;
  if (reason !== null)
    return (
      <>
        The webhook {name} was disabled {at !== null && <RelativeTime at={at} />}. {explainDisabled(reason)}
      </>
    );
  const code = newest?.status_code ?? null;
  return (
    <>
      The last delivery to {name} {newest?.status === "retrying" ? "is being retried" : "failed"}
      {code !== null && `: the endpoint answered ${code}`}.
    </>
  );
}

interface ItemProps {
  readonly icon: ReactNode;
  readonly to: string;
  readonly action: string;
  readonly children: ReactNode;
}

function Item({ icon, to, action, children }: ItemProps) {
  return (
    <li className="flex items-start gap-3 border-b border-line px-5 py-3 last:border-b-0">
      <span aria-hidden className="mt-0.5 shrink-0 [&_svg]:size-4.5">
        {icon}
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-x-4 gap-y-1 sm:flex-row sm:items-baseline">
        <p className="min-w-0 flex-1 text-pretty wrap-anywhere">{children}</p>
        <Link to={to} className="shrink-0">
          {action}
        </Link>
      </div>
    </li>
  );
}
