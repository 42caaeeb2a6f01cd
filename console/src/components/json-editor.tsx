import { useState } from "react";
import { Button } from "./button.tsx";
import { Field } from "./field.tsx";
import { TextArea } from "./text-area.tsx";
import { typed } from "./typed.ts";

interface JsonEditorProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: unknown;
  /** Receives the parsed value, or null while the text is not valid JSON. */
  onChange(value: { readonly parsed: unknown } | null): void;
  /** The error that the service reports for the value. */
  readonly error?: string | undefined;
  /** Accepts only JSON objects. */
  readonly mustBeObject?: boolean;
}

export function JsonEditor({ label, hint, value, onChange, error, mustBeObject = false }: JsonEditorProps) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2) ?? "");
  const [syntaxError, setSyntaxError] = useState<string | null>(null);
  const take = (next: string) => {
    setText(next);
    const read = readJson(next, mustBeObject);
    setSyntaxError(read.syntaxError);
    onChange(read.syntaxError === null ? { parsed: read.parsed } : null);
  };
  return (
    <Field
      label={label}
      error={syntaxError ?? error}
      {...(hint !== undefined && { hint })}
      trailing={
        <Button
          variant="quiet"
          size="small"
          disabled={syntaxError !== null || text.trim() === ""}
          onClick={() => take(JSON.stringify(JSON.parse(text), null, 2))}
        >
          Format
        </Button>
      }
    >
      <TextArea isCode rows={5} {...typed(text, take)} />
    </Field>
  );
}

type Read = { readonly syntaxError: string } | { readonly syntaxError: null; readonly parsed: unknown };

function readJson(text: string, mustBeObject: boolean): Read {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return { syntaxError: error instanceof Error ? `Invalid JSON: ${error.message}` : "Invalid JSON" };
  }
  const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  return mustBeObject && !isObject ? { syntaxError: "Must be an object: { … }" } : { syntaxError: null, parsed };
}
