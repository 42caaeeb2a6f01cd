import { EVENT_DESCRIPTIONS, EVENT_TYPES } from "@swarmbase/sdk";
import { useAppEventTypes } from "../../../data/event-types.ts";
import { isPortal } from "../../../data/portal.ts";
import { Badge } from "../../../components/badge.tsx";
import { CardSection } from "../../../components/card.tsx";
import { EmptyState } from "../../../components/empty-state.tsx";
import { JsonView } from "../../../components/json-view.tsx";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { PageHeader } from "../../../components/page-header.tsx";

/** The types of events, with the schema and an example of their data. */
export function EventCatalogue() {
  const { rows, ...read } = useAppEventTypes();
  return (
    <>
      <PageHeader
        title="Event types"
        crumbs={[{ label: "Webhooks", to: "/webhooks" }]}
        description={
          isPortal()
            ? "What webhooks can subscribe to, with the data that they send."
            : "Events that your app emits itself, and those of the service. Webhooks subscribe to both."
        }
      />
      {rows === undefined && <NotLoaded title="The event types could not be loaded" read={read} />}
      {rows?.length === 0 && !isPortal() && (
        <EmptyState picture="webhooks" title="The app has no event types">
          The service role creates them in the table event_types, or with swarmbase apply. Then emit_event emits them.
        </EmptyState>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        {rows?.map((type) => (
          <EventType key={type.id} {...type} mayEmit={type.users_may_emit && !isPortal()} />
        ))}
      </div>
      {rows !== undefined && (
        <>
          <h2 className="mt-10 mb-4 text-lg font-semibold">Events of agents and swarms</h2>
          <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
            {EVENT_TYPES.map((name) => {
              const { summary, data, example } = EVENT_DESCRIPTIONS[name];
              return <EventType key={name} name={name} description={summary} schema={data} example={example} />;
            })}
          </div>
        </>
      )}
    </>
  );
}

interface EventTypeProps {
  readonly name: string;
  readonly description: string | null;
  readonly schema: unknown;
  readonly example: unknown;
  readonly mayEmit?: boolean;
}

function EventType({ name, description, schema, example, mayEmit = false }: EventTypeProps) {
  return (
    <CardSection
      title={name}
      description={description?.replaceAll("`", "")}
      action={mayEmit ? <Badge>Users may emit it</Badge> : undefined}
    >
      <div className="grid items-start gap-5 lg:grid-cols-2">
        {schema !== null && <JsonView label={`Schema of data: ${name}`} value={schema} />}
        {example !== null && <JsonView label={`Example of data: ${name}`} value={example} />}
        {schema === null && example === null && <p className="text-ink-faint">Its data can be any object.</p>}
      </div>
    </CardSection>
  );
}
