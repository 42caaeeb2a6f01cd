import { actsForAsker, FIELD_BOUNDS } from "@swarmbase/sdk";
import type { Tool } from "../../data/tools.ts";
import { CardSection } from "../../components/card.tsx";
import {
  bindForm,
  type FieldsProps,
  NumberField,
  SelectField,
  TextAreaField,
  TextField,
} from "../../components/form-fields.tsx";
import { formatCount } from "../../components/formats.ts";
import { RadioGroup } from "../../components/radio-group.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { ActingNote } from "./acting-note.tsx";
import { ArgumentFields } from "./argument-fields.tsx";
import { findPlaceholders, readArguments } from "./arguments.ts";
import { Choice } from "./choice.tsx";
import { FunctionFields } from "./function-fields.tsx";
import { RequestFields } from "./request-fields.tsx";
import { SwarmFields } from "./swarm-fields.tsx";
import { errorsBelowConfig, hasRequest, renderConfig, type ToolForm } from "./tool-draft.ts";
import { renderRequest } from "./render-request.ts";

interface ToolFormFieldsProps extends FieldsProps<ToolForm> {
  /** Reports whether the JSON of the schema or the body is valid. */
  onReadable(what: "schema" | "body", isReadable: boolean): void;
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

const TIMEOUT = limitsOf(FIELD_BOUNDS["tools.timeout_ms"]);
const MAX_OUTPUT = limitsOf(FIELD_BOUNDS["tools.max_output_chars"]);

function limitsOf({ min, max }: { readonly min: number; readonly max: number }) {
  return { min, max, hint: `${formatCount(min)} to ${formatCount(max)}.`, placeholder: "The service's default" };
}

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
          <SelectField
            label="Kind"
            error={errors["kind"]}
            value={form.kind}
            choices={NEW_KINDS}
            onChange={(kind) => {
              onReadable("body", true);
              onChange({ kind });
            }}
          />
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

type PartProps = FieldsProps<ToolForm>;

function IdentityFields(props: PartProps) {
  const bind = bindForm(props);
  return (
    <div className="grid gap-5">
      <TextField
        label="Name"
        hint="Letters, digits, _ and -. Begins with a letter or _."
        required
        autoComplete="off"
        spellCheck={false}
        placeholder="find_order"
        {...bind("name")}
      />
      <TextAreaField
        label="Description"
        hint="When to use the tool, and what it returns."
        trailing={`${formatCount(Array.from(props.form.description).length)} of ${formatCount(FIELD_BOUNDS["tools.description"].max)}`}
        required
        placeholder="Looks up an order by its number. Returns its status and location."
        {...bind("description")}
      />
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField label="Category" isOptional autoComplete="off" placeholder="Shop" {...bind("category")} />
        <TextField
          label="Icon"
          isOptional
          hint="An emoji, or a value for your application."
          autoComplete="off"
          {...bind("icon")}
        />
      </div>
    </div>
  );
}

function Rules(props: PartProps) {
  const { form } = props;
  const bind = bindForm(props, { timeoutMs: "timeout_ms", maxOutputChars: "max_output_chars" });
  return (
    <div className="grid gap-5">
      {form.kind !== "swarm" && (
        <RadioGroup
          label="Who may assign it to agents"
          {...bind("visibility")}
          choices={[
            { value: "private", label: "Only you", hint: "Only your agents can use it." },
            { value: "shared", label: "People in your swarms", hint: "They can see it and assign it to their agents." },
          ]}
        />
      )}
      <Choice
        label="Require approval"
        hint="Each call waits until a person approves it: the agent's owner, unless the grant or the assignment names who asks."
        {...bind("requiresApproval")}
      />
      {form.kind !== "swarm" && (
        <Choice
          label="Safe to repeat"
          hint="A call whose outcome is unknown, because a server was lost during it, is repeated."
          {...bind("idempotent")}
        />
      )}
      <Choice label="Enabled" hint="Agents cannot use a disabled tool." {...bind("enabled")} />
      {form.kind !== "swarm" && <NumberField label="Timeout, in milliseconds" {...TIMEOUT} {...bind("timeoutMs")} />}
      <NumberField label="Maximum output, in characters" {...MAX_OUTPUT} {...bind("maxOutputChars")} />
    </div>
  );
}

/** A preview of the request. */
function RequestPreview({ form, missing }: { readonly form: ToolForm; readonly missing: readonly string[] }) {
  if (form.url.trim() === "") return null;
  return (
    <div className="grid gap-2">
      <CodeBlock label="Request" code={renderRequest(form)} isWrapped />
      {missing.length > 0 && (
        <p className="px-1 text-sm text-thinking">
          No argument is named {missing.map((name) => `{${name}}`).join(", ")}. Add it above.
        </p>
      )}
    </div>
  );
}

interface ScheduleToolFieldsProps extends FieldsProps<ToolForm> {
  /** Undefined for a new one. */
  readonly tool: Tool | undefined;
}

/** What an agent does with its schedules for the person who asks. Its description and arguments belong to the action. */
function ScheduleToolFields({ tool, ...fields }: ScheduleToolFieldsProps) {
  const { errors } = fields;
  const bind = bindForm(fields);
  return (
    <SelectField
      label="Action"
      hint={
        tool === undefined
          ? "A description or arguments that you leave empty come from the action."
          : "For another action, create another tool."
      }
      disabled={tool !== undefined}
      choices={[
        { value: "schedule", label: "Create a schedule" },
        { value: "unschedule", label: "End a schedule that the agent has created" },
      ]}
      {...bind("action")}
      error={errors["action"] ?? errors["config"]}
    />
  );
}
