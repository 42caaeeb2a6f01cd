import { useState } from "react";
import { Button } from "./button.tsx";
import { Field } from "./field.tsx";
import { TextArea } from "./text-area.tsx";

export interface JsonEditorProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: unknown;
  /** Called with each text that can be read; null while it cannot, so that a form knows not to send. */
  onChange(value: { readonly parsed: unknown } | null): void;
  /** What the service says about it. */
  readonly error?: string | undefined;
  /** Refuses lists, texts and numbers. */
  readonly mustBeObject?: boolean;
}

export function JsonEditor({ label, hint, value, onChange, error, mustBeObject = false }: JsonEditorProps) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2) ?? "");
  const [fault, setFault] = useState<string | null>(null);
  const take = (next: string) => {
    setText(next);
    const read = readJson(next, mustBeObject);
    setFault(read.fault);
    onChange(read.fault === null ? { parsed: read.parsed } : null);
  };
  return (
    <Field
      label={label}
      error={fault ?? error}
      {...(hint !== undefined && { hint })}
      aside={
        <Button
          variant="quiet"
          size="small"
          disabled={fault !== null || text.trim() === ""}
          onClick={() => take(JSON.stringify(JSON.parse(text), null, 2))}
        >
          Tidy
        </Button>
      }
    >
      <TextArea isCode rows={5} value={text} onChange={(event) => take(event.target.value)} />
    </Field>
  );
}

type Read = { readonly fault: string } | { readonly fault: null; readonly parsed: unknown };

function readJson(text: string, mustBeObject: boolean): Read {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return { fault: error instanceof Error ? `Not JSON yet: ${error.message}` : "Not JSON yet" };
  }
  const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  return mustBeObject && !isObject ? { fault: "It has to be an object: { … }" } : { fault: null, parsed };
}
