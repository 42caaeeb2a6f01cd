import { FIELD_BOUNDS, RETRY_SCHEDULE_SECONDS } from "@swarmbase/sdk";
import { useState } from "react";
import type { WebhookDraft } from "../../../data/webhooks.ts";
import type { Write } from "../../../data/write.ts";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { Field } from "../../../components/field.tsx";
import { type FormFailure, FormFrame } from "../../../components/form-frame.tsx";
import { formatDuration } from "../../../components/formats.ts";
import { Slider } from "../../../components/slider.tsx";
import { Switch } from "../../../components/switch.tsx";
import { TextInput } from "../../../components/text-input.tsx";
import { typed } from "../../../components/typed.ts";
import { useFreshErrors } from "../../../components/use-fresh-errors.ts";
import { EventPicker } from "./event-picker.tsx";
import { FilterEditor } from "./filter-editor.tsx";
import { NO_FILTER_ERROR, parseFilter, toFilterText } from "../../../components/filter-text.ts";
import { fromLines, toLines } from "../../../components/header-lines.ts";
import { HeadersEditor } from "../../../components/headers-editor.tsx";

export interface WebhookFormProps {
  /** Without headers: those with the names of `headerNames` are kept unless others replace them. */
  readonly initial: WebhookDraft;
  readonly headerNames?: readonly string[];
  /** The write whose errors the form shows. */
  readonly write: Pick<Write<never, unknown>, "isBusy" | "errors"> & { readonly failure: FormFailure | null };
  readonly action: string;
  onSubmit(draft: WebhookDraft): void;
  onResolve?(choice: "mine" | "stored"): void;
  onCancel(): void;
}

const NAME = FIELD_BOUNDS["webhooks.name"];
const RETRIES = FIELD_BOUNDS["webhooks.retry_count"];
const TIMEOUT = FIELD_BOUNDS["webhooks.timeout_ms"];

export function WebhookForm(props: WebhookFormProps) {
  const { initial, headerNames = [], write, action, onSubmit, onResolve, onCancel } = props;
  const [draft, setDraft] = useState(initial);
  const [lines, setLines] = useState(() => toLines(initial.headers ?? {}));
  const [areKept, setKept] = useState(initial.headers === undefined && headerNames.length > 0);
  const [filterText, setFilterText] = useState(() => toFilterText(initial.filter));
  const [inputErrors, setInputErrors] = useState<FormFailure | null>(null);
  const failure = inputErrors ?? write.failure;
  const { errors, touch } = useFreshErrors(inputErrors?.fields ?? write.errors);
  const [isDirty, setDirty] = useState(false);
  const set = (change: Partial<WebhookDraft>) => {
    setDraft({ ...draft, ...change });
    setDirty(true);
    for (const field of Object.keys(change)) touch(field);
  };
  const submit = () => {
    const filter = parseFilter(filterText);
    const complete = { ...draft, ...(!areKept && { headers: fromLines(lines) }), filter: filter ?? null };
    const found = { ...findErrors(complete), ...(filter === undefined && { filter: NO_FILTER_ERROR }) };
    const isValid = Object.keys(found).length === 0;
    setInputErrors(isValid ? null : { message: "", fields: found });
    if (isValid) onSubmit(complete);
  };
  return (
    <FormFrame
      label={action}
      action={action}
      isBusy={write.isBusy}
      isDirty={isDirty}
      failure={failure}
      errors={errors}
      onSubmit={submit}
      {...(onResolve !== undefined && { onResolve })}
      onCancel={onCancel}
    >
      <CardSection title="Endpoint">
        <div className="grid gap-5">
          <Field label="Name" hint="A name for your own use." error={errors["name"]}>
            <TextInput
              {...typed(draft.name, (name) => set({ name }))}
              maxLength={NAME.max}
              placeholder="Ticket desk"
              autoComplete="off"
            />
          </Field>
          <Field label="URL" hint="Must begin with https://. Redirects are not followed." error={errors["url"]}>
            <TextInput
              type="url"
              inputMode="url"
              {...typed(draft.url, (url) => set({ url }))}
              placeholder="https://app.example.com/hook"
              autoComplete="off"
              spellCheck={false}
              className="font-mono text-sm"
            />
          </Field>
        </div>
      </CardSection>
      <CardSection title="Events" description="Of your own agents, and of the swarms that you are in.">
        <EventPicker chosen={draft.events} onChange={(events) => set({ events })} error={errors["events"]} />
      </CardSection>
      <CardSection title="Filter" description="Optional. Which of these events are sent, by their content.">
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
      <CardSection
        title="Delivery"
        action={
          <div className="flex items-center gap-2.5">
            <span aria-hidden className="text-ink-soft">
              {draft.is_active ? "Active" : "Off"}
            </span>
            <Switch label="Active" isOn={draft.is_active} onChange={(isOn) => set({ is_active: isOn })} />
          </div>
        }
      >
        <div className="grid gap-5 lg:grid-cols-2">
          <Field label="Retries" hint={describeRetries(draft.retry_count)} error={errors["retry_count"]}>
            <Slider
              label="Retries"
              value={draft.retry_count}
              min={RETRIES.min}
              max={RETRIES.max}
              step={1}
              onChange={(count) => set({ retry_count: count })}
            />
          </Field>
          <Field
            label="Timeout in milliseconds"
            trailing={Number.isFinite(draft.timeout_ms) ? formatDuration(draft.timeout_ms) : undefined}
            hint="From the DNS lookup to the last byte of the response."
            error={errors["timeout_ms"]}
          >
            <TextInput
              type="number"
              inputMode="numeric"
              min={TIMEOUT.min}
              max={TIMEOUT.max}
              value={Number.isNaN(draft.timeout_ms) ? "" : draft.timeout_ms}
              onChange={({ target }) => set({ timeout_ms: target.valueAsNumber })}
              className="tabular-nums"
            />
          </Field>
        </div>
      </CardSection>
      <CardSection
        title="Custom headers"
        description="Optional. Sent with every delivery, such as a key for your gateway."
      >
        {areKept ? (
          <KeptHeaders names={headerNames} onReplace={() => setKept(false)} />
        ) : (
          <HeadersEditor
            lines={lines}
            errors={errors}
            onChange={(next) => {
              setLines(next);
              setDirty(true);
              touch("headers");
            }}
          />
        )}
      </CardSection>
    </FormFrame>
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
