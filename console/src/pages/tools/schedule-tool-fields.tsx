import type { Tool } from "../../data/tools.ts";
import { Field } from "../../components/field.tsx";
import { Select } from "../../components/select.tsx";
import type { RequestFieldsProps } from "./request-fields.tsx";

interface ScheduleToolFieldsProps extends Pick<RequestFieldsProps, "form" | "onChange" | "errors"> {
  /** Undefined for a new one. */
  readonly tool: Tool | undefined;
}

/** What an agent does with its schedules for the person who asks. Its description and arguments belong to the action. */
export function ScheduleToolFields({ form, onChange, errors, tool }: ScheduleToolFieldsProps) {
  return (
    <Field
      label="Action"
      error={errors["action"] ?? errors["config"]}
      hint={
        tool === undefined
          ? "A description or arguments that you leave empty come from the action."
          : "For another action, create another tool."
      }
    >
      <Select
        disabled={tool !== undefined}
        value={form.action}
        choices={[
          { value: "schedule", label: "Create a schedule" },
          { value: "unschedule", label: "End a schedule that the agent has created" },
        ]}
        onChange={(action) => onChange({ action })}
      />
    </Field>
  );
}
