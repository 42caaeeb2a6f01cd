import { FIELD_BOUNDS, type JsonObject } from "@swarmbase/sdk";
import { useState } from "react";
import { type Assignment, useUpdateAssignment } from "../../data/agent-tools.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { Drawer } from "../../components/drawer.tsx";
import { formatCount } from "../../components/formats.ts";
import { JsonEditor } from "../../components/json-editor.tsx";
import { isSchema, type JsonSchema } from "../../components/json-schema.ts";
import { type FormValue, SchemaForm } from "../../components/schema-form.tsx";
import { Tabs } from "../../components/tabs.tsx";
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
  const describeBound = (name: "timeout_ms" | "max_output_chars", title: string): JsonSchema => {
    const max = tool?.[name] ?? FIELD_BOUNDS[`tools.${name}`].max;
    const limit = tool !== null && { description: `The limit of the tool is ${formatCount(max)}.` };
    return { title, type: "integer", minimum: 1, maximum: max, default: max, ...limit };
  };
  const bounds = {
    timeout_ms: describeBound("timeout_ms", "Timeout, in milliseconds"),
    max_output_chars: describeBound("max_output_chars", "Maximum output, in characters"),
  };
  return (
    <div className="grid gap-6">
      <section className="grid gap-3">
        <h3 className="font-semibold">Arguments</h3>
        <SchemaForm schema={schema} value={value} onChange={onChange} isPartial />
      </section>
      <section className="grid gap-4 border-t border-line pt-5">
        <h3 className="font-semibold">Bounds</h3>
        <SchemaForm schema={{ properties: bounds }} value={value} onChange={onChange} isPartial />
      </section>
    </div>
  );
}
