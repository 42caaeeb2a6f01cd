import { FIELD_BOUNDS, RETRY_SCHEDULE_SECONDS } from "@swarmbase/sdk";
import { useState } from "react";
import type { WebhookDraft } from "../../../data/webhooks.ts";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { Field } from "../../../components/field.tsx";
import { bindForm, type FieldsProps, NumberField, TextField } from "../../../components/form-fields.tsx";
import { FormFrame } from "../../../components/form-frame.tsx";
import { type FormWrite, type RowForm, useRowForm } from "../../../components/row-form.tsx";
import { formatDuration } from "../../../components/formats.ts";
import { Slider } from "../../../components/slider.tsx";
import { Switch } from "../../../components/switch.tsx";
import { EventPicker } from "./event-picker.tsx";
import { FilterEditor } from "./filter-editor.tsx";
import { NO_FILTER_ERROR, parseFilter, toFilterText } from "../../../components/filter-text.ts";
import { fromLines, type HeaderLine, toLines } from "../../../components/header-lines.ts";
import { HeadersEditor } from "../../../components/headers-editor.tsx";

interface WebhookFormProps {
  /** Without headers: those with the names of `headerNames` are kept unless others replace them. */
  readonly initial: WebhookDraft;
  readonly headerNames?: readonly string[];
  /** The write whose errors the form shows. */
  readonly write: FormWrite;
  readonly action: string;
  onSubmit(draft: WebhookDraft): void;
  onResolve?(choice: "mine" | "stored"): void;
  onCancel(): void;
}

const NAME = FIELD_BOUNDS["webhooks.name"];
const RETRIES = FIELD_BOUNDS["webhooks.retry_count"];
const TIMEOUT = FIELD_BOUNDS["webhooks.timeout_ms"];

/** The filter is a text, and the headers are lines. */
interface WebhookValues extends Omit<WebhookDraft, "filter" | "headers" | "timeout_ms"> {
  readonly filter: string;
  readonly headers: readonly HeaderLine[];
  /** The stored headers stay. */
  readonly areHeadersKept: boolean;
  /** Null means that the field is empty. */
  readonly timeout_ms: number | null;
}

function formOf(initial: WebhookDraft, areHeadersKept: boolean): WebhookValues {
  const { filter, headers = {}, ...rest } = initial;
  return { ...rest, filter: toFilterText(filter), headers: toLines(headers), areHeadersKept };
}

function render({ filter: text, headers, areHeadersKept, timeout_ms, ...rest }: WebhookValues) {
  const filter = parseFilter(text);
  const headerChange = areHeadersKept ? {} : { headers: fromLines(headers) };
  const draft = { ...rest, timeout_ms: timeout_ms ?? Number.NaN, ...headerChange, filter: filter ?? null };
  const faults = { ...findErrors(draft), ...(filter === undefined && { filter: NO_FILTER_ERROR }) };
  return Object.keys(faults).length > 0 ? { faults } : { draft };
}

export function WebhookForm(props: WebhookFormProps) {
  const { initial, headerNames = [], write, action, onSubmit, onResolve, onCancel } = props;
  const [kind] = useState<RowForm<null, WebhookValues, WebhookDraft>>({
    formOf: () => formOf(initial, initial.headers === undefined && headerNames.length > 0),
    render,
  });
  const form = useRowForm(kind, null, write);
  const { form: values, errors, onChange } = form.fields;
  const bind = bindForm(form.fields);
  const submit = () => {
    const draft = form.render();
    if (draft !== null) onSubmit(draft);
  };
  return (
    <FormFrame
      label={action}
      action={action}
      {...form.frame}
      onSubmit={submit}
      {...(onResolve !== undefined && { onResolve })}
      onCancel={onCancel}
    >
      <CardSection title="Endpoint">
        <div className="grid gap-5">
          <TextField
            label="Name"
            hint="A name for your own use."
            maxLength={NAME.max}
            placeholder="Ticket desk"
            autoComplete="off"
            {...bind("name")}
          />
          <TextField
            label="URL"
            hint="Must begin with https://. Redirects are not followed."
            type="url"
            inputMode="url"
            placeholder="https://app.example.com/hook"
            autoComplete="off"
            spellCheck={false}
            className="font-mono text-sm"
            {...bind("url")}
          />
        </div>
      </CardSection>
      <CardSection title="Events" description="Of your own agents, and of the swarms that you are in.">
        <EventPicker chosen={values.events} onChange={(events) => onChange({ events })} error={errors["events"]} />
      </CardSection>
      <CardSection title="Filter" description="Optional. Which of these events are sent, by their content.">
        <FilterEditor text={values.filter} errors={errors} onChange={(filter) => onChange({ filter })} />
      </CardSection>
      <Delivery {...form.fields} />
      <CardSection
        title="Custom headers"
        description="Optional. Sent with every delivery, such as a key for your gateway."
      >
        {values.areHeadersKept ? (
          <KeptHeaders names={headerNames} onReplace={() => onChange({ areHeadersKept: false })} />
        ) : (
          <HeadersEditor lines={values.headers} errors={errors} onChange={(headers) => onChange({ headers })} />
        )}
      </CardSection>
    </FormFrame>
  );
}

function Delivery(fields: FieldsProps<WebhookValues>) {
  const { form, errors, onChange } = fields;
  const bind = bindForm(fields);
  return (
    <CardSection
      title="Delivery"
      action={
        <div className="flex items-center gap-2.5">
          <span aria-hidden className="text-ink-soft">
            {form.is_active ? "Active" : "Off"}
          </span>
          <Switch label="Active" isOn={form.is_active} onChange={(isOn) => onChange({ is_active: isOn })} />
        </div>
      }
    >
      <div className="grid gap-5 lg:grid-cols-2">
        <Field label="Retries" hint={describeRetries(form.retry_count)} error={errors["retry_count"]}>
          <Slider label="Retries" min={RETRIES.min} max={RETRIES.max} step={1} {...bind("retry_count")} />
        </Field>
        <NumberField
          label="Timeout in milliseconds"
          trailing={form.timeout_ms === null ? undefined : formatDuration(form.timeout_ms)}
          hint="From the DNS lookup to the last byte of the response."
          inputMode="numeric"
          min={TIMEOUT.min}
          max={TIMEOUT.max}
          className="tabular-nums"
          {...bind("timeout_ms")}
        />
      </div>
    </CardSection>
  );
}

/** Headers whose values the form does not have. */
function KeptHeaders({ names, onReplace }: { readonly names: readonly string[]; onReplace(): void }) {
  return (
    <div className="grid justify-items-start gap-3">
      <p>
        <span className="font-mono text-sm">{names.join(", ")}</span>, with values that are not shown.
      </p>
      <Button size="small" onClick={onReplace}>
        Replace all headers
      </Button>
    </div>
  );
}

/** Validates the form before it is sent. The service validates it again. */
function findErrors({ name, url, events, timeout_ms, retry_count }: WebhookDraft): Record<string, string> {
  return {
    ...(name.trim() === "" && { name: "Enter a name." }),
    ...(!isHttps(url) && { url: "Must be a URL that begins with https://." }),
    ...(events.length === 0 && { events: "Select at least one event." }),
    ...(Number.isNaN(timeout_ms) && { timeout_ms: `From ${TIMEOUT.min} to ${TIMEOUT.max}.` }),
    ...(Number.isNaN(retry_count) && { retry_count: `From ${RETRIES.min} to ${RETRIES.max}.` }),
  };
}

function isHttps(url: string): boolean {
  return URL.parse(url.trim())?.protocol === "https:";
}

/** "3 retries, after 1 min, 5 min, 30 min". Beyond the schedule its last delay repeats. */
function describeRetries(count: number): string {
  if (!(count > 0)) return "No retries. The delivery fails after its first attempt.";
  const waits = RETRY_SCHEDULE_SECONDS.slice(1, 1 + count).map((seconds) =>
    seconds < 3_600 ? `${seconds / 60} min` : `${seconds / 3_600} h`,
  );
  const further = count - waits.length;
  const waited = `${waits.join(", ")}${further > 0 ? `, then ${further} more, 2 h apart` : ""}`;
  return `${count} ${count === 1 ? "retry" : "retries"}, after ${waited}.`;
}
