import { Plus, X } from "lucide-react";
import { Button } from "../../components/button.tsx";
import { IconButton } from "../../components/icon-button.tsx";
import { TextInput } from "../../components/text-input.tsx";
import type { HeaderDraft } from "./header-draft.ts";

export interface HeaderFieldsProps {
  readonly headers: readonly HeaderDraft[];
  onChange(headers: readonly HeaderDraft[]): void;
  readonly errors: Readonly<Record<string, string>>;
}

/** Headers that are not secret: all users who can see the tool can see them. */
export function HeaderFields({ headers, onChange, errors }: HeaderFieldsProps) {
  const set = (index: number, part: Partial<HeaderDraft>) =>
    onChange(headers.map((old, other) => (other === index ? { ...old, ...part } : old)));
  const headerErrors = Object.entries(errors).filter(([name]) => name === "headers" || name.startsWith("headers."));
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 text-sm font-medium">
        Headers <span className="ml-0.5 font-normal text-ink-faint">optional</span>
      </legend>
      {headers.map((header, index) => (
        // Headers have no identity except their position.
        <div key={index} className="flex items-center gap-1.5">
          <TextInput
            aria-label={`Name of header ${index + 1}`}
            placeholder="Accept"
            autoComplete="off"
            spellCheck={false}
            className="flex-1"
            value={header.name}
            {...(headerErrors.length > 0 && { "aria-invalid": true })}
            onChange={({ target }) => set(index, { name: target.value })}
          />
          <TextInput
            aria-label={`Value of header ${index + 1}`}
            placeholder="application/json"
            autoComplete="off"
            spellCheck={false}
            className="flex-2"
            value={header.value}
            onChange={({ target }) => set(index, { value: target.value })}
          />
          <IconButton
            label={`Remove header ${index + 1}`}
            icon={<X />}
            onClick={() => onChange(headers.filter((_, other) => other !== index))}
          />
        </div>
      ))}
      {headerErrors.map(([name, message]) => (
        <p key={name} role="alert" className="text-sm text-bad">
          {message}
        </p>
      ))}
      <Button
        size="small"
        icon={<Plus />}
        className="justify-self-start"
        onClick={() => onChange([...headers, { name: "", value: "" }])}
      >
        Add a header
      </Button>
    </fieldset>
  );
}
