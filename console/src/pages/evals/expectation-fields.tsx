import { Plus, X } from "lucide-react";
import { useLiveTable } from "../../data/live.ts";
import { useAgentChoices } from "../../data/swarm-agents.ts";
import { Button } from "../../components/button.tsx";
import { Checkbox } from "../../components/checkbox.tsx";
import { Field } from "../../components/field.tsx";
import { bindForm, type FieldsProps, PickerField, TextAreaField, TextField } from "../../components/form-fields.tsx";
import { IconButton } from "../../components/icon-button.tsx";
import { JsonEditor } from "../../components/json-editor.tsx";
import { TextArea } from "../../components/text-area.tsx";
import { typed } from "../../components/typed.ts";
import type { CaseForm } from "./case-draft.ts";

const MAX_TEXTS = 50;

type ExpectationFieldsProps = FieldsProps<CaseForm>;

/** What the chosen kind of expectation needs. */
export function ExpectationFields(props: ExpectationFieldsProps) {
  const { form, errors, onChange } = props;
  const bind = bindForm(props);
  switch (form.kind) {
    case "exact":
      return (
        <>
          <TextAreaField label="Text" hint="White space around the answer does not count." {...bind("text")} />
          <IgnoreCase {...props} />
        </>
      );
    case "contains":
      return (
        <>
          <Texts {...props} />
          <IgnoreCase {...props} />
        </>
      );
    case "schema":
      return (
        <JsonEditor
          label="JSON Schema"
          hint="The answer has to be JSON that satisfies it."
          value={form.schema}
          mustBeObject
          error={errors["schema"]}
          onChange={(value) =>
            onChange({ schema: value === null ? null : (value.parsed as Readonly<Record<string, unknown>>) })
          }
        />
      );
    case "judge":
      return <JudgeFields {...props} />;
    case "tool_called":
      return (
        <TextField
          label="Name of the tool"
          hint="The answer itself does not matter."
          autoComplete="off"
          spellCheck={false}
          {...bind("tool")}
        />
      );
  }
}

function IgnoreCase({ form, onChange }: ExpectationFieldsProps) {
  return (
    <Checkbox label="Ignore case" isChecked={form.ignoresCase} onChange={(ignoresCase) => onChange({ ignoresCase })} />
  );
}

function Texts({ form: { texts }, errors, onChange }: ExpectationFieldsProps) {
  const replace = (place: number, text: string) =>
    onChange({ texts: texts.map((old, index) => (index === place ? text : old)) });
  return (
    <div className="grid grid-cols-1 gap-3">
      {texts.map((text, place) => (
        // The place is the identity: a text may occur twice while it is typed.
        <div key={place} className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <Field
              label={`Text ${place + 1}`}
              {...(place === 0 && { hint: "The answer has to contain all of the texts.", error: errors["texts"] })}
            >
              <TextArea rows={1} {...typed(text, (text) => replace(place, text))} />
            </Field>
          </div>
          {texts.length > 1 && (
            <IconButton
              label={`Remove text ${place + 1}`}
              icon={<X />}
              // Beside the control, below its label.
              className="mt-6.5"
              onClick={() => onChange({ texts: texts.filter((_, index) => index !== place) })}
            />
          )}
        </div>
      ))}
      <Button
        size="small"
        icon={<Plus />}
        className="justify-self-start"
        disabled={texts.length >= MAX_TEXTS}
        onClick={() => onChange({ texts: [...texts, ""] })}
      >
        Add text
      </Button>
    </div>
  );
}

function JudgeFields(props: ExpectationFieldsProps) {
  const { form } = props;
  const bind = bindForm(props);
  useLiveTable("agents");
  const { rows: agents = [], search } = useAgentChoices([form.judgeId]);
  const isKnown = form.judgeId === "" || agents.some(({ id }) => id === form.judgeId);
  const choices = [
    { value: "", label: "The one that the run names" },
    ...(isKnown ? [] : [{ value: form.judgeId, label: form.judgeId }]),
    ...agents.map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <>
      <TextAreaField label="Criteria" hint="By these another agent grades the answer." {...bind("criteria")} />
      <PickerField
        label="Judge"
        hint="Use an agent without tools: answers may try to instruct it."
        choices={choices}
        onSearch={search}
        {...bind("judgeId")}
      />
      <TextField
        label="Lowest score"
        isOptional
        hint="From 0 to 1. Without it, the judge decides whether the answer passes."
        inputMode="decimal"
        {...bind("minScore")}
      />
    </>
  );
}
