import { actsForAsker, FIELD_BOUNDS, isSameJson, type JsonObject } from "@swarmbase/sdk";
import { useState } from "react";
import { type Assignment, useUpdateAssignment } from "../../data/agent-tools.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { Drawer } from "../../components/drawer.tsx";
import { SelectField } from "../../components/form-fields.tsx";
import { formatCount } from "../../components/formats.ts";
import { JsonEditor } from "../../components/json-editor.tsx";
import { isSchema, type JsonSchema } from "../../components/json-schema.ts";
import { type FormValue, SchemaForm } from "../../components/schema-form.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { useToast } from "../../components/toast.tsx";

interface ConfigureAssignmentProps {
  readonly assignment: Assignment;
  onClose(): void;
}

type Approver = NonNullable<Assignment["approver"]> | "";

const APPROVERS: readonly { readonly value: Approver; readonly label: string }[] = [
  { value: "", label: "As the grant says" },
  { value: "owner", label: "The owner of the agent" },
  { value: "asker", label: "The person who asks" },
];

const APPROVER_HINT = "Calls that need an approval wait for this person. Without a grant, the owner decides.";
const ASKER_HINT = "The tool acts for the person who asks, who decides whatever is chosen here.";

/** Sets who approves, fixed arguments, and narrower limits than those of the tool. */
export function ConfigureAssignment({ assignment, onClose }: ConfigureAssignmentProps) {
  const { id, tool } = assignment;
  const [value, setValue] = useState<FormValue>(assignment.configuration);
  const [approver, setApprover] = useState<Approver>(assignment.approver ?? "");
  const [isReadable, setReadable] = useState(true);
  const [view, setView] = useState<"form" | "json">("form");
  const update = useUpdateAssignment();
  const toast = useToast();
  const name = tool?.name ?? "the tool";
  const save = async () => {
    const before = { configuration: assignment.configuration, approver: assignment.approver };
    const after = { configuration: value as JsonObject, approver: approver === "" ? null : approver };
    // The app no longer vouches for an assignment whose configuration somebody else has written.
    const isSame = isSameJson(before.configuration, after.configuration);
    const pick = (settings: typeof before) => (isSame ? { id, approver: settings.approver } : { id, ...settings });
    if ((await update.run(pick(after))) === null) return;
    onClose();
    toast({ text: `${name} is configured.`, action: { label: "Undo", run: () => void update.run(pick(before)) } });
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
      <div className="mb-5">
        <SelectField<Approver>
          label="Who approves"
          value={approver}
          choices={APPROVERS}
          error={update.errors["approver"]}
          hint={tool !== null && actsForAsker(tool) ? ASKER_HINT : APPROVER_HINT}
          onChange={setApprover}
        />
      </div>
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
