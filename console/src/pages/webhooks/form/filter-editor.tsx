import { useState } from "react";
import { type TestedEvent, useTestFilter } from "../../../data/webhooks.ts";
import { Badge } from "../../../components/badge.tsx";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { FilterField, listFilterFaults } from "../../../components/filter-field.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { parseFilter } from "../../../components/filter-text.ts";

interface FilterEditorProps {
  readonly text: string;
  onChange(text: string): void;
  /** Field → error message; those of the filter are shown. */
  readonly errors: Readonly<Record<string, string>>;
}

/** A filter as JSON text, and which of the last events it lets pass. */
export function FilterEditor({ text, onChange, errors }: FilterEditorProps) {
  const dryRun = useTestFilter();
  const [events, setEvents] = useState<readonly TestedEvent[] | null>(null);
  const filter = parseFilter(text);
  const shown = { ...errors, ...dryRun.errors };
  const take = (next: string) => {
    dryRun.reset();
    setEvents(null);
    onChange(next);
  };
  const test = async () => {
    if (filter) setEvents((await dryRun.run(filter))?.events ?? null);
  };
  return (
    <div className="grid gap-4">
      <FilterField
        text={text}
        onChange={take}
        hint="JSON with conditions on the event. Empty: all events are sent."
        placeholder={'{ "data": { "total": { "$gte": 100 } } }'}
        errors={shown}
      />
      <Button
        size="small"
        className="justify-self-start"
        isBusy={dryRun.isBusy}
        disabled={!filter}
        onClick={() => void test()}
      >
        Try it on your last events
      </Button>
      {dryRun.failure !== null && listFilterFaults(shown).length === 0 && (
        <Banner tone="bad">{dryRun.failure.message}</Banner>
      )}
      {events !== null && <TestedEvents events={events} />}
    </div>
  );
}

function TestedEvents({ events }: { readonly events: readonly TestedEvent[] }) {
  const passed = events.filter(({ passes }) => passes).length;
  return (
    <div className="grid gap-2">
      <p role="status" className="text-sm text-ink-soft">
        {events.length === 0
          ? "No events have been sent to you yet."
          : `${passed} of your last ${events.length} events would be sent.`}
      </p>
      {events.length > 0 && (
        <ul className="max-h-64 divide-y divide-line overflow-y-auto rounded-md border border-line" tabIndex={0}>
          {events.map(({ event_id, type, created_at, passes }) => (
            <li key={event_id} className="flex items-center gap-3 px-3 py-2 text-sm">
              <Badge tone={passes ? "good" : "neutral"}>{passes ? "sent" : "skipped"}</Badge>
              <span className="min-w-0 truncate font-mono">{type}</span>
              <span className="ml-auto text-ink-faint">
                <RelativeTime at={created_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
