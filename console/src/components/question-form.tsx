import { Check, X } from "lucide-react";
import { useState } from "react";
import { Button } from "./button.tsx";
import { completeAnswer } from "./complete-answer.ts";
import { isSchema } from "./json-schema.ts";
import { type FormValue, SchemaForm } from "./schema-form.tsx";

interface QuestionFormProps {
  readonly message: string;
  /** A JSON Schema of the answer. */
  readonly schema: unknown;
  /** Which button was pressed; null when none was, or its request failed. */
  readonly pressed: "answer" | "decline" | null;
  readonly isDisabled: boolean;
  onAnswer(content: FormValue): void;
  onDecline(): void;
}

/** What a tool asks a person, with a field for each property of the answer. The text may come from anybody, so it is shown as it is. */
export function QuestionForm({ message, schema, pressed, isDisabled, onAnswer, onDecline }: QuestionFormProps) {
  const [value, setValue] = useState<FormValue>({});
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const asked = isSchema(schema) ? schema : {};
  const hasFields = Object.keys(asked.properties ?? {}).length > 0;
  const isBusy = isDisabled || pressed !== null;
  return (
    <form
      aria-label={message}
      noValidate
      className="grid grid-cols-1 gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        const { content, faults } = completeAnswer(asked, value);
        setErrors(faults);
        if (Object.keys(faults).length === 0 && !isBusy) onAnswer(content);
      }}
    >
      <p className="wrap-anywhere whitespace-pre-wrap">{message}</p>
      {hasFields && (
        <SchemaForm
          schema={asked}
          value={value}
          errors={errors}
          onChange={(next) => {
            setValue(next);
            setErrors({});
          }}
        />
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          type="submit"
          size="small"
          variant="primary"
          icon={<Check />}
          isBusy={pressed === "answer"}
          disabled={isBusy}
        >
          Answer
        </Button>
        <Button size="small" icon={<X />} isBusy={pressed === "decline"} disabled={isBusy} onClick={onDecline}>
          Decline
        </Button>
      </div>
    </form>
  );
}
