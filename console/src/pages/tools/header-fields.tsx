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

/** Headers that are no secret: everybody who sees the tool sees them. */
export function HeaderFields({ headers, onChange, errors }: HeaderFieldsProps) {
  const set = (at: number, part: Partial<HeaderDraft>) =>
    onChange(headers.map((old, place) => (place === at ? { ...old, ...part } : old)));
  const faults = Object.entries(errors).filter(([name]) => name === "headers" || name.startsWith("headers."));
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 text-sm font-medium">
        Headers <span className="ml-0.5 font-normal text-ink-faint">optional</span>
      </legend>
      {headers.map((header, at) => (
        // Headers have no identity but their place while they are being written.
        <div key={at} className="flex items-center gap-1.5">
          <TextInput
            aria-label={`Name of header ${at + 1}`}
            placeholder="Accept"
            autoComplete="off"
            spellCheck={false}
            className="flex-1"
            value={header.name}
            {...(faults.length > 0 && { "aria-invalid": true })}
            onChange={({ target }) => set(at, { name: target.value })}
          />
          <TextInput
            aria-label={`Value of header ${at + 1}`}
            placeholder="application/json"
            autoComplete="off"
            spellCheck={false}
            className="flex-2"
            value={header.value}
            onChange={({ target }) => set(at, { value: target.value })}
          />
          <IconButton
            label={`Remove header ${at + 1}`}
            icon={<X />}
            onClick={() => onChange(headers.filter((_, place) => place !== at))}
          />
        </div>
      ))}
      {faults.map(([name, message]) => (
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
