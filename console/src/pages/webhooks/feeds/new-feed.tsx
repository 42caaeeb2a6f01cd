import { FIELD_BOUNDS } from "@swarmbase/sdk";
import { useState } from "react";
import { useNavigate } from "react-router";
import { type EventFeedDraft, useCreateEventFeed } from "../../../data/event-feeds.ts";
import { CardSection } from "../../../components/card.tsx";
import { Field } from "../../../components/field.tsx";
import { type FormFailure, FormFrame } from "../../../components/form-frame.tsx";
import { SAVED } from "../../../components/leave-guard.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { TextInput } from "../../../components/text-input.tsx";
import { useToast } from "../../../components/toast.tsx";
import { typed } from "../../../components/typed.ts";
import { useFreshErrors } from "../../../components/use-fresh-errors.ts";
import { EventPicker } from "../form/event-picker.tsx";
import { FilterEditor } from "../form/filter-editor.tsx";
import { NO_FILTER_ERROR, parseFilter } from "../../../components/filter-text.ts";

const LIST = "/webhooks/feeds";
const EMPTY: EventFeedDraft = { name: "", events: [], filter: null };

export function NewFeed() {
  const create = useCreateEventFeed();
  const navigate = useNavigate();
  const toast = useToast();
  const [draft, setDraft] = useState(EMPTY);
  const [filterText, setFilterText] = useState("");
  const [inputErrors, setInputErrors] = useState<FormFailure | null>(null);
  const { errors, touch } = useFreshErrors(inputErrors?.fields ?? create.errors);
  const set = (change: Partial<EventFeedDraft>) => {
    setDraft({ ...draft, ...change });
    for (const field of Object.keys(change)) touch(field);
  };
  const submit = async () => {
    const filter = parseFilter(filterText);
    const found: Record<string, string> = {
      ...(draft.name.trim() === "" && { name: "Enter a name." }),
      ...(draft.events.length === 0 && { events: "Select at least one event." }),
      ...(filter === undefined && { filter: NO_FILTER_ERROR }),
    };
    const isValid = Object.keys(found).length === 0;
    setInputErrors(isValid ? null : { message: "", fields: found });
    const made = isValid ? await create.run({ ...draft, filter: filter ?? null }) : null;
    if (made === null) return;
    toast({ text: `${made.name} is ready.` });
    await navigate(LIST, { state: SAVED });
  };
  return (
    <>
      <PageHeader
        title="New event feed"
        crumbs={[
          { label: "Webhooks", to: "/webhooks" },
          { label: "Event feeds", to: LIST },
        ]}
      />
      <FormFrame
        label="Make the feed"
        action="Make the feed"
        isBusy={create.isBusy || create.isDone}
        isDirty={draft !== EMPTY || filterText !== ""}
        failure={inputErrors ?? create.failure}
        errors={errors}
        onSubmit={() => void submit()}
        onCancel={() => void navigate(LIST)}
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
              touch("filter");
            }}
          />
        </CardSection>
      </FormFrame>
    </>
  );
}
