import { AGENT_SETTINGS } from "@swarmbase/sdk";
import { Braces, X } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { formatCount } from "../../components/formats.ts";
import { TextArea } from "../../components/text-area.tsx";
import { typed } from "../../components/typed.ts";
import { Hint } from "./setting-hint.tsx";

interface ResponseSchemaFieldProps {
  /** Undefined if there is none. A text is not valid JSON, and the service rejects it. */
  readonly value: unknown;
  readonly error: string | undefined;
  readonly note: string | undefined;
  onChange(value: unknown): void;
}

const STARTER = {
  type: "object",
  properties: { answer: { type: "string" } },
  required: ["answer"],
  additionalProperties: false,
};

/** The JSON Schema of the replies, as text. */
export function ResponseSchemaField({ value, error, note, onChange }: ResponseSchemaFieldProps) {
  const [entered, setEntered] = useState<{ readonly text: string; readonly value: unknown } | null>(null);
  if (value === undefined || value === null)
    return (
      <div className="grid gap-2">
        <p className="text-sm font-medium">
          Response schema <span className="ml-0.5 font-normal text-ink-faint">optional</span>
        </p>
        <p className="text-sm text-ink-faint">With a JSON Schema, replies are JSON that programs can read.</p>
        <Button size="small" icon={<Braces />} className="justify-self-start" onClick={() => onChange(STARTER)}>
          Add response schema
        </Button>
      </div>
    );
  // What was typed stays as it is until the value changes elsewhere.
  const text = entered !== null && entered.value === value ? entered.text : render(value);
  const take = (next: string) => {
    const read = parse(next);
    setEntered({ text: next, value: read });
    onChange(read);
  };
  const syntaxError = typeof value === "string" ? "Must be a JSON object: { … }" : undefined;
  return (
    <Field
      label="Response schema"
      error={syntaxError ?? error}
      hint={<Hint text="Replies are JSON that satisfies this JSON Schema." warning={note} />}
      trailing={
        <span className="flex items-center gap-1.5">
          up to {formatCount(AGENT_SETTINGS.response_schema.maxBytes)} bytes
          <Button
            variant="quiet"
            size="small"
            icon={<X />}
            className="-my-1.5"
            aria-label="Remove response schema"
            onClick={() => onChange(undefined)}
          >
            Remove
          </Button>
        </span>
      }
    >
      <TextArea isCode rows={10} spellCheck={false} {...typed(text, take)} />
    </Field>
  );
}

function render(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** Text that is not a JSON object stays a text. */
function parse(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? parsed : text;
  } catch {
    return text;
  }
}
