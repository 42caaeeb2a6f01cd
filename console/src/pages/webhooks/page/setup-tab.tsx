import { Pencil } from "lucide-react";
import type { ReactNode } from "react";
import type { Webhook } from "../../../data/webhooks.ts";
import { Badge } from "../../../components/badge.tsx";
import { CardSection } from "../../../components/card.tsx";
import { formatDuration } from "../../../components/formats.ts";
import { ButtonLink } from "../../../components/link.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { ReceiverSnippets } from "../receiver-snippets.tsx";
import { SecretCard } from "./secret-card.tsx";

export function SetupTab({ webhook }: { readonly webhook: Webhook }) {
  const {
    id,
    events,
    header_names: names,
    filter,
    retry_count,
    timeout_ms,
    api_version,
    created_at,
    updated_at,
  } = webhook;
  return (
    <div className="grid items-start gap-5 xl:grid-cols-2">
      <SecretCard webhook={webhook} />
      <CardSection
        title="Settings"
        action={
          <ButtonLink to={`/webhooks/${id}/edit`} size="small" icon={<Pencil />}>
            Edit
          </ButtonLink>
        }
      >
        <dl className="grid gap-3.5">
          <Fact name="Events">
            <span className="flex flex-wrap gap-1.5">
              {events.map((type) => (
                <Badge key={type}>{type}</Badge>
              ))}
            </span>
          </Fact>
          <Fact name="Filter">
            {filter === null ? "None" : <code className="font-mono text-sm">{JSON.stringify(filter)}</code>}
          </Fact>
          <Fact name="Retries">{retry_count}</Fact>
          <Fact name="Timeout">{formatDuration(timeout_ms)}</Fact>
          <Fact name="Custom headers">{names.length === 0 ? "None" : names.join(", ")}</Fact>
          <Fact name="API version">{api_version}</Fact>
          <Fact name="Made">
            <RelativeTime at={created_at} />
          </Fact>
          <Fact name="Changed">
            <RelativeTime at={updated_at} />
          </Fact>
        </dl>
      </CardSection>
      <div className="min-w-0 xl:col-span-2">
        <ReceiverSnippets />
      </div>
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="grid gap-1 sm:grid-cols-[8rem_minmax(0,1fr)] sm:gap-4">
      <dt className="text-ink-faint">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}
