import { actsForAsker, FIELD_BOUNDS } from "@swarmbase/sdk";
import type { Tool } from "../../data/tools.ts";
import { CardSection } from "../../components/card.tsx";
import { Field } from "../../components/field.tsx";
import { formatCount } from "../../components/formats.ts";
import { RadioGroup } from "../../components/radio-group.tsx";
import { Select } from "../../components/select.tsx";
import { TextArea } from "../../components/text-area.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { typed } from "../../components/typed.ts";
import { ActingNote } from "./acting-note.tsx";
import { ArgumentFields } from "./argument-fields.tsx";
import { findPlaceholders, readArguments } from "./arguments.ts";
import { Choice } from "./choice.tsx";
import { FunctionFields } from "./function-fields.tsx";
import { RequestFields } from "./request-fields.tsx";
import { RequestPreview } from "./request-preview.tsx";
import { ScheduleToolFields } from "./schedule-tool-fields.tsx";
import { SwarmFields } from "./swarm-fields.tsx";
import { errorsBelowConfig, hasRequest, renderConfig, type ToolForm } from "./tool-draft.ts";

export interface ToolFormFieldsProps {
  readonly form: ToolForm;
  onChange(part: Partial<ToolForm>): void;
  /** Reports whether the JSON of the schema or the body is valid. */
  onReadable(what: "schema" | "body", isReadable: boolean): void;
  readonly errors: Readonly<Record<string, string>>;
  readonly tool?: Tool;
}

/** Tools of MCP servers are imported. */
const NEW_KINDS: readonly { readonly value: ToolForm["kind"]; readonly label: string }[] = [
  { value: "http", label: "HTTPS request" },
  { value: "rpc", label: "Database function" },
  { value: "function", label: "App function" },
  { value: "swarm", label: "Swarm" },
  { value: "schedule", label: "Schedules" },
];

const TITLES: Readonly<Record<ToolForm["kind"], string>> = {
  http: "Request",
  mcp: "Request",
  rpc: "Function",
  function: "Function",
  swarm: "Sub-task",
  schedule: "Schedules",
};

/** All writable fields of a tool. */
export function ToolFormFields({ form, onChange, onReadable, errors, tool }: ToolFormFieldsProps) {
  const known = new Set(readArguments(form.schema).map(({ name }) => name));
  const placeholders = hasRequest(form) ? findPlaceholders(form.url, form.body) : [];
  const missing = placeholders.filter((name) => !known.has(name));
  return (
    <div className="grid min-w-0 items-start gap-5 lg:grid-cols-[minmax(0,7fr)_minmax(0,5fr)]">
      <div className="grid min-w-0 gap-5">
        <CardSection
          title="Identity"
          description="The model reads the name and the description to decide when to use it."
        >
          <IdentityFields form={form} onChange={onChange} errors={errors} />
        </CardSection>
        <Called form={form} onChange={onChange} onReadable={onReadable} errors={errors} {...(tool && { tool })} />
      </div>
      <div className="grid min-w-0 gap-5">
        <CardSection title="Arguments">
          <ArgumentFields
            schema={form.schema}
            onChange={(schema) => onChange({ schema })}
            onReadable={(isReadable) => onReadable("schema", isReadable)}
            missing={missing}
            error={errors["input_schema"] ?? errors["input_schema.type"]}
          />
        </CardSection>
        {form.kind === "http" && <RequestPreview form={form} missing={missing} />}
        <CardSection title="Permissions and limits">
          <Rules form={form} onChange={onChange} errors={errors} />
        </CardSection>
      </div>
    </div>
  );
}

/** The request or the function, and for whom it is called. */
function Called({ form, onChange, onReadable, errors, tool }: ToolFormFieldsProps) {
  const fields = { form, onChange, errors: errorsBelowConfig(errors) };
  const isActing = actsForAsker({ kind: form.kind, config: renderConfig(form) });
  return (
    <CardSection
      title={TITLES[form.kind]}
      description={hasRequest(form) ? "Models cannot change the host." : undefined}
    >
      <div className="grid gap-5">
        {tool === undefined && (
          <Field label="Kind" error={errors["kind"]}>
            <Select
              value={form.kind}
              choices={NEW_KINDS}
              onChange={(kind) => {
                onReadable("body", true);
                onChange({ kind });
              }}
            />
          </Field>
        )}
        {hasRequest(form) ? (
          <RequestFields {...fields} onReadable={(isReadable) => onReadable("body", isReadable)} tool={tool} />
        ) : form.kind === "swarm" ? (
          <SwarmFields {...fields} />
        ) : form.kind === "schedule" ? (
          <ScheduleToolFields {...fields} tool={tool} />
        ) : (
          <FunctionFields {...fields} />
        )}
        {isActing && <ActingNote kind={form.kind} tool={tool} />}
      </div>
    </CardSection>
  );
}

type PartProps = Pick<ToolFormFieldsProps, "form" | "onChange" | "errors">;

function IdentityFields({ form, onChange, errors }: PartProps) {
  return (
    <div className="grid gap-5">
      <Field label="Name" hint="Letters, digits, _ and -. Begins with a letter or _." error={errors["name"]}>
        <TextInput
          required
          autoComplete="off"
          spellCheck={false}
          placeholder="find_order"
          {...typed(form.name, (name) => onChange({ name }))}
        />
      </Field>
      <Field
        label="Description"
        hint="When to use the tool, and what it returns."
        error={errors["description"]}
        trailing={`${formatCount(Array.from(form.description).length)} of ${formatCount(FIELD_BOUNDS["tools.description"].max)}`}
      >
        <TextArea
          required
          rows={3}
          placeholder="Looks up an order by its number. Returns its status and location."
          {...typed(form.description, (description) => onChange({ description }))}
        />
      </Field>
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label="Category" isOptional error={errors["category"]}>
          <TextInput
            autoComplete="off"
            placeholder="Shop"
            {...typed(form.category, (category) => onChange({ category }))}
          />
        </Field>
        <Field label="Icon" isOptional hint="An emoji, or a value for your application." error={errors["icon"]}>
          <TextInput autoComplete="off" {...typed(form.icon, (icon) => onChange({ icon }))} />
        </Field>
      </div>
    </div>
  );
}

function Rules({ form, onChange, errors }: PartProps) {
  return (
    <div className="grid gap-5">
      {form.kind !== "swarm" && (
        <RadioGroup
          label="Who may assign it to agents"
          value={form.visibility}
          onChange={(visibility) => onChange({ visibility })}
          choices={[
            { value: "private", label: "Only you", hint: "Only your agents can use it." },
            { value: "shared", label: "People in your swarms", hint: "They can see it and assign it to their agents." },
          ]}
        />
      )}
      <Choice
        label="Require approval"
        hint="Each call waits until a person approves it: the agent's owner, unless the grant or the assignment names who asks."
        isOn={form.requiresApproval}
        onChange={(requiresApproval) => onChange({ requiresApproval })}
      />
      {form.kind !== "swarm" && (
        <Choice
          label="Safe to repeat"
          hint="A call whose outcome is unknown, because a server was lost during it, is repeated."
          isOn={form.idempotent}
          onChange={(idempotent) => onChange({ idempotent })}
        />
      )}
      <Choice
        label="Enabled"
        hint="Agents cannot use a disabled tool."
        isOn={form.enabled}
        onChange={(enabled) => onChange({ enabled })}
      />
      {form.kind !== "swarm" && (
        <Bound
          label="Timeout, in milliseconds"
          bounds={FIELD_BOUNDS["tools.timeout_ms"]}
          value={form.timeoutMs}
          error={errors["timeout_ms"]}
          onChange={(timeoutMs) => onChange({ timeoutMs })}
        />
      )}
      <Bound
        label="Maximum output, in characters"
        bounds={FIELD_BOUNDS["tools.max_output_chars"]}
        value={form.maxOutputChars}
        error={errors["max_output_chars"]}
        onChange={(maxOutputChars) => onChange({ maxOutputChars })}
      />
    </div>
  );
}

interface BoundProps {
  readonly label: string;
  readonly bounds: { readonly min: number; readonly max: number };
  readonly value: number | null;
  readonly error: string | undefined;
  onChange(value: number | null): void;
}

function Bound({ label, bounds: { min, max }, value, error, onChange }: BoundProps) {
  return (
    <Field label={label} error={error} hint={`${formatCount(min)} to ${formatCount(max)}.`}>
      <TextInput
        type="number"
        inputMode="numeric"
        min={min}
        max={max}
        placeholder="The service's default"
        value={value === null || Number.isNaN(value) ? "" : value}
        onChange={({ target }) => onChange(target.value === "" ? null : target.valueAsNumber)}
      />
    </Field>
  );
}
