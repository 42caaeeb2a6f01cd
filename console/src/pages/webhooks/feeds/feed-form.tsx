import { FIELD_BOUNDS } from "@swarmbase/sdk";
import type { EventFeed, EventFeedDraft } from "../../../data/event-feeds.ts";
import { CardSection } from "../../../components/card.tsx";
import { bindForm, TextField } from "../../../components/form-fields.tsx";
import { FormFrame } from "../../../components/form-frame.tsx";
import { type FormWrite, type RowForm, useRowForm } from "../../../components/row-form.tsx";
import { EventPicker } from "../form/event-picker.tsx";
import { FilterEditor } from "../form/filter-editor.tsx";
import { NO_FILTER_ERROR, parseFilter, toFilterText } from "../../../components/filter-text.ts";

interface FeedFormProps {
  /** Null means a new one. */
  readonly feed: EventFeed | null;
  /** The write whose errors the form shows. */
  readonly write: FormWrite;
  readonly action: string;
  onSubmit(draft: EventFeedDraft, base: EventFeed | null): void;
  onResolve?(choice: "mine" | "stored"): void;
  onCancel(): void;
}

/** The filter is a text. */
type FeedValues = Omit<EventFeedDraft, "filter"> & { readonly filter: string };

const FEED_FORM: RowForm<EventFeed, FeedValues, EventFeedDraft> = {
  formOf: (row) => ({ name: row?.name ?? "", events: row?.events ?? [], filter: toFilterText(row?.filter ?? null) }),
  render: ({ name, events, filter: text }) => {
    const filter = parseFilter(text);
    const faults: Record<string, string> = {
      ...(name.trim() === "" && { name: "Enter a name." }),
      ...(events.length === 0 && { events: "Select at least one event." }),
      ...(filter === undefined && { filter: NO_FILTER_ERROR }),
    };
    return Object.keys(faults).length > 0 ? { faults } : { draft: { name, events, filter: filter ?? null } };
  },
};

export function FeedForm({ feed, write, action, onSubmit, onResolve, onCancel }: FeedFormProps) {
  const { base, fields, render, frame } = useRowForm(FEED_FORM, feed, write);
  const { form, errors, onChange } = fields;
  const submit = () => {
    const draft = render();
    if (draft !== null) onSubmit(draft, base);
  };
  return (
    <FormFrame
      label={action}
      action={action}
      {...frame}
      onSubmit={submit}
      {...(onResolve !== undefined && { onResolve })}
      onCancel={onCancel}
    >
      <CardSection title="Feed">
        <TextField
          label="Name"
          hint="A name for your own use."
          maxLength={FIELD_BOUNDS["event_feeds.name"].max}
          placeholder="Billing"
          autoComplete="off"
          {...bindForm(fields)("name")}
        />
      </CardSection>
      <CardSection title="Events" description="Of your own agents, and of the swarms that you are in.">
        <EventPicker chosen={form.events} onChange={(events) => onChange({ events })} error={errors["events"]} />
      </CardSection>
      <CardSection title="Filter" description="Optional. Which of these events are in the feed, by their content.">
        <FilterEditor text={form.filter} errors={errors} onChange={(filter) => onChange({ filter })} />
      </CardSection>
    </FormFrame>
  );
}
