import { FIELD_BOUNDS } from "@swarmbase/sdk";
import { useState } from "react";
import type { EventFeedDraft } from "../../../data/event-feeds.ts";
import type { Write } from "../../../data/write.ts";
import { CardSection } from "../../../components/card.tsx";
import { Field } from "../../../components/field.tsx";
import { type FormFailure, FormFrame } from "../../../components/form-frame.tsx";
import { TextInput } from "../../../components/text-input.tsx";
import { typed } from "../../../components/typed.ts";
import { useFreshErrors } from "../../../components/use-fresh-errors.ts";
import { EventPicker } from "../form/event-picker.tsx";
import { FilterEditor } from "../form/filter-editor.tsx";
import { NO_FILTER_ERROR, parseFilter, toFilterText } from "../../../components/filter-text.ts";

export interface FeedFormProps {
  readonly initial: EventFeedDraft;
  /** The write whose errors the form shows. */
  readonly write: Pick<Write<never, unknown>, "isBusy" | "errors"> & { readonly failure: FormFailure | null };
  readonly action: string;
  onSubmit(draft: EventFeedDraft): void;
  onResolve?(choice: "mine" | "stored"): void;
  onCancel(): void;
}

export function FeedForm({ initial, write, action, onSubmit, onResolve, onCancel }: FeedFormProps) {
  const [draft, setDraft] = useState(initial);
  const [filterText, setFilterText] = useState(() => toFilterText(initial.filter));
  const [isDirty, setDirty] = useState(false);
  const [inputErrors, setInputErrors] = useState<FormFailure | null>(null);
  const { errors, touch } = useFreshErrors(inputErrors?.fields ?? write.errors);
  const set = (change: Partial<EventFeedDraft>) => {
    setDraft({ ...draft, ...change });
    setDirty(true);
    for (const field of Object.keys(change)) touch(field);
  };
  const submit = () => {
    const filter = parseFilter(filterText);
    const found: Record<string, string> = {
      ...(draft.name.trim() === "" && { name: "Enter a name." }),
      ...(draft.events.length === 0 && { events: "Select at least one event." }),
      ...(filter === undefined && { filter: NO_FILTER_ERROR }),
    };
    const isValid = Object.keys(found).length === 0;
    setInputErrors(isValid ? null : { message: "", fields: found });
    if (isValid) onSubmit({ ...draft, filter: filter ?? null });
  };
  return (
    <FormFrame
      label={action}
      action={action}
      isBusy={write.isBusy}
      isDirty={isDirty}
      failure={inputErrors ?? write.failure}
      errors={errors}
      onSubmit={submit}
      {...(onResolve !== undefined && { onResolve })}
      onCancel={onCancel}
    >
      <CardSection title="Feed">
        <Field label="Name" hint="A name for your own use." error={errors["name"]}>
          <TextInput
            {...typed(draft.name, (name) => set({ name }))}
            maxLength={FIELD_BOUNDS["event_feeds.name"].max}
            placeholder="Billing"
            autoComplete="off"
          />
        </Field>
      </CardSection>
      <CardSection title="Events" description="Of your own agents, and of the swarms that you are in.">
        <EventPicker chosen={draft.events} onChange={(events) => set({ events })} error={errors["events"]} />
      </CardSection>
      <CardSection title="Filter" description="Optional. Which of these events are in the feed, by their content.">
        <FilterEditor
          text={filterText}
          errors={errors}
          onChange={(text) => {
            setFilterText(text);
            setDirty(true);
            touch("filter");
          }}
        />
      </CardSection>
    </FormFrame>
  );
}
