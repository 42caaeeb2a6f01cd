import type { Json } from "@swarmbase/sdk";
import { useState } from "react";
import { useSendSignal } from "../../data/runs.ts";
import type { Trace } from "../../data/traces.ts";
import { ActionDialog } from "../../components/action-dialog.tsx";
import { Banner } from "../../components/banner.tsx";
import { Field } from "../../components/field.tsx";
import { JsonEditor } from "../../components/json-editor.tsx";
import { Select } from "../../components/select.tsx";

/** The names of the events that calls of the run wait for. */
export function listEvents({ pending_waits: waits }: Trace): readonly string[] {
  return [...new Set(waits?.flatMap(({ kind, name }) => (kind === "event" && name !== undefined ? [name] : [])))];
}

/** Sends what a call of the run waits for. */
export function SendSignal({ trace, onClose }: { readonly trace: Trace; onClose(): void }) {
  const [names] = useState(() => listEvents(trace));
  const [name, setName] = useState(names[0] ?? "");
  const [data, setData] = useState<{ readonly parsed: unknown } | null>({ parsed: {} });
  const { run, isBusy, failure, errors } = useSendSignal(trace.id);
  const send = async () => {
    if (data !== null && (await run({ name, data: data.parsed as Json })) !== null) onClose();
  };
  return (
    <ActionDialog
      isOpen
      onClose={onClose}
      title="Send a signal"
      description="It ends the wait. The agent reads the data as the result of its call."
      action="Send"
      isForm
      isBusy={isBusy}
      isDisabled={data === null}
      onAction={() => void send()}
    >
      <Field label="Event" error={errors["name"]}>
        <Select value={name} choices={names.map((value) => ({ value, label: value }))} onChange={setName} />
      </Field>
      <JsonEditor label="Data" value={{}} onChange={setData} error={errors["data"]} />
      {failure !== null && <Banner tone="bad">{failure.message}</Banner>}
    </ActionDialog>
  );
}
