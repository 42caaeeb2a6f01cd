import { useAppEventTypes } from "../../../data/event-types.ts";
import { Badge } from "../../../components/badge.tsx";
import { CardSection } from "../../../components/card.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import { JsonView } from "../../../components/json-view.tsx";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { PageHeader } from "../../../components/page-header.tsx";

/** The types of the app's own events, with the schema and an example of their data. */
export function EventCatalogue() {
  const { rows, ...read } = useAppEventTypes();
  return (
    <>
      <PageHeader
        title="Event types of the app"
        crumbs={[{ label: "Webhooks", to: "/webhooks" }]}
        description="Events that your app emits itself, beside those of the service. Webhooks subscribe to both."
      />
      {rows === undefined && <NotLoaded title="The event types could not be loaded" read={read} />}
      {rows?.length === 0 && (
        <EmptyState picture="webhooks" title="The app has no event types">
          The service role creates them in the table event_types, or with swarmbase apply. Then emit_event emits them.
        </EmptyState>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        {rows?.map(({ id, name, description, schema, example, users_may_emit }) => (
          <CardSection
            key={id}
            title={name}
            description={description ?? undefined}
            action={users_may_emit ? <Badge>Users may emit it</Badge> : undefined}
          >
            <div className="grid items-start gap-5 lg:grid-cols-2">
              {schema !== null && <JsonView label={`Schema of data: ${name}`} value={schema} />}
              {example !== null && <JsonView label={`Example of data: ${name}`} value={example} />}
              {schema === null && example === null && <p className="text-ink-faint">Its data can be any object.</p>}
            </div>
          </CardSection>
        ))}
      </div>
    </>
  );
}
