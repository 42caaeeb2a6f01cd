import { FIELD_BOUNDS, type JsonObject } from "@swarmbase/sdk";
import { useState } from "react";
import { type Assignment, useUpdateAssignment } from "../../data/agent-tools.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { Drawer } from "../../components/drawer.tsx";
import { Field } from "../../components/field.tsx";
import { formatCount } from "../../components/formats.ts";
import { JsonEditor } from "../../components/json-editor.tsx";
import { isSchema } from "../../components/json-schema.ts";
import { type FormValue, SchemaForm } from "../../components/schema-form.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { useToast } from "../../components/toast.tsx";

export interface ConfigureAssignmentProps {
  readonly assignment: Assignment;
  onClose(): void;
}

/** Sets fixed arguments and narrower limits than those of the tool. */
export function ConfigureAssignment({ assignment, onClose }: ConfigureAssignmentProps) {
  const { tool } = assignment;
  const [value, setValue] = useState<FormValue>(assignment.configuration);
  const [isReadable, setReadable] = useState(true);
  const [view, setView] = useState<"form" | "json">("form");
  const update = useUpdateAssignment();
  const toast = useToast();
  const name = tool?.name ?? "the tool";
  const save = async () => {
    const before = assignment.configuration;
    if ((await update.run({ id: assignment.id, configuration: value as JsonObject })) === null) return;
    onClose();
    toast({
      text: `${name} is configured.`,
      action: { label: "Undo", run: () => void update.run({ id: assignment.id, configuration: before }) },
    });
  };
  return (
    <Drawer
      isOpen
      onClose={onClose}
      title={`Configure ${name}`}
      description="Arguments that you set here are fixed: the model does not see or change them."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={!isReadable} isBusy={update.isBusy} onClick={() => void save()}>
            Save
          </Button>
        </>
      }
    >
      <Tabs<"form" | "json">
        label="How to edit it"
        value={view}
        onChange={setView}
        tabs={[
          { value: "form", label: "Form", content: <Form assignment={assignment} value={value} onChange={setValue} /> },
          {
            value: "json",
            label: "JSON",
            content: (
              <JsonEditor
                label="Configuration"
                hint="Arguments by name. Unknown names are kept if the schema of the tool allows them."
                value={value}
                mustBeObject
                onChange={(read) => {
                  setReadable(read !== null);
                  if (read !== null) setValue(read.parsed as FormValue);
                }}
                error={update.errors["configuration"]}
              />
            ),
          },
        ]}
      />
      {update.failure !== null && (
        <div className="mt-4">
          <Banner tone="bad">{update.failure.message}</Banner>
        </div>
      )}
    </Drawer>
  );
}

interface FormProps extends Pick<ConfigureAssignmentProps, "assignment"> {
  readonly value: FormValue;
  onChange(value: FormValue): void;
}

function Form({ assignment: { tool }, value, onChange }: FormProps) {
  const schema = isSchema(tool?.input_schema) ? tool.input_schema : {};
  const set = (name: string, next: number | undefined) => {
    const { [name]: _old, ...others } = value;
    onChange(next === undefined ? others : { ...others, [name]: next });
  };
  return (
    <div className="grid gap-6">
      <section className="grid gap-3">
        <h3 className="font-semibold">Arguments</h3>
        <SchemaForm schema={schema} value={value} onChange={onChange} isPartial />
      </section>
      <section className="grid gap-4 border-t border-line pt-5">
        <h3 className="font-semibold">Bounds</h3>
        <Bound
          label="Timeout, in milliseconds"
          hint={tool === null ? undefined : `The limit of the tool is ${formatCount(tool.timeout_ms)}.`}
          max={tool?.timeout_ms ?? FIELD_BOUNDS["tools.timeout_ms"].max}
          value={value["timeout_ms"]}
          onChange={(next) => set("timeout_ms", next)}
        />
        <Bound
          label="Maximum output, in characters"
          hint={tool === null ? undefined : `The limit of the tool is ${formatCount(tool.max_output_chars)}.`}
          max={tool?.max_output_chars ?? FIELD_BOUNDS["tools.max_output_chars"].max}
          value={value["max_output_chars"]}
          onChange={(next) => set("max_output_chars", next)}
        />
      </section>
    </div>
  );
}

interface BoundProps {
  readonly label: string;
  readonly hint: string | undefined;
  readonly max: number;
  readonly value: unknown;
  onChange(value: number | undefined): void;
}

function Bound({ label, hint, max, value, onChange }: BoundProps) {
  return (
    <Field label={label} isOptional {...(hint !== undefined && { hint })}>
      <TextInput
        type="number"
        inputMode="numeric"
        min={1}
        max={max}
        placeholder={String(max)}
        value={typeof value === "number" ? value : ""}
        onChange={({ target }) => onChange(target.value === "" ? undefined : target.valueAsNumber)}
      />
    </Field>
  );
}
