import { Plus, X } from "lucide-react";
import type { ChangeEvent } from "react";
import { Button } from "./button.tsx";
import type { HeaderLine } from "./header-lines.ts";
import { IconButton } from "./icon-button.tsx";
import { PasswordInput } from "./password-input.tsx";
import { TextInput } from "./text-input.tsx";

interface HeadersEditorProps {
  readonly lines: readonly HeaderLine[];
  onChange(lines: readonly HeaderLine[]): void;
  /** Error messages: "headers.Host" is about one header, "headers" about all. */
  readonly errors: Readonly<Record<string, string>>;
  /** All who see the row see the values. */
  readonly arePublic?: boolean;
}

/** Of requests that the service signs. */
const MAX_HEADERS = 20;

export function HeadersEditor({ lines, onChange, errors, arePublic = false }: HeadersEditorProps) {
  const set = (key: string, change: Partial<HeaderLine>) =>
    onChange(lines.map((line) => (line.key === key ? { ...line, ...change } : line)));
  return (
    <div className="grid gap-3">
      {lines.map((line, index) => (
        <Line
          key={line.key}
          line={line}
          number={index + 1}
          isPublic={arePublic}
          error={errors[`headers.${line.name.trim()}`]}
          onChange={(change) => set(line.key, change)}
          onRemove={() => onChange(lines.filter(({ key }) => key !== line.key))}
        />
      ))}
      {errors["headers"] !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {errors["headers"]}
        </p>
      )}
      <div>
        <Button
          size="small"
          icon={<Plus />}
          disabled={!arePublic && lines.length >= MAX_HEADERS}
          onClick={() => onChange([...lines, { key: crypto.randomUUID(), name: "", value: "" }])}
        >
          Add header
        </Button>
      </div>
    </div>
  );
}

/** The headers among other fields, with a legend. */
export function OptionalHeaders(props: HeadersEditorProps) {
  return (
    <fieldset className="grid grid-cols-1 gap-2">
      <legend className="mb-1.5 text-sm font-medium">
        Headers <span className="ml-0.5 font-normal text-ink-faint">optional</span>
      </legend>
      <HeadersEditor {...props} />
    </fieldset>
  );
}

interface LineProps {
  readonly line: HeaderLine;
  readonly number: number;
  readonly isPublic: boolean;
  readonly error: string | undefined;
  onChange(change: Partial<HeaderLine>): void;
  onRemove(): void;
}

function Line({ line, number, isPublic, error, onChange, onRemove }: LineProps) {
  const value = {
    "aria-label": `Value of header ${number}`,
    placeholder: isPublic ? "application/json" : "Value",
    value: line.value,
    autoComplete: "off",
    spellCheck: false,
    onChange: ({ target }: ChangeEvent<HTMLInputElement>) => onChange({ value: target.value }),
    className: "font-mono text-sm",
  };
  return (
    <div className="grid gap-1">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-2 sm:grid-cols-[minmax(0,1fr)_minmax(0,1.6fr)_auto]">
        <TextInput
          aria-label={`Name of header ${number}`}
          placeholder={isPublic ? "Accept" : "X-Api-Key"}
          value={line.name}
          autoComplete="off"
          spellCheck={false}
          {...(error !== undefined && { "aria-invalid": true, "aria-describedby": `${line.key}-error` })}
          onChange={({ target }) => onChange({ name: target.value })}
          className="font-mono text-sm"
        />
        <div className="col-start-1 sm:col-start-2">
          {isPublic ? <TextInput {...value} /> : <PasswordInput subject={`header ${number}`} {...value} />}
        </div>
        <IconButton
          label={line.name === "" ? `Remove header ${number}` : `Remove the header ${line.name}`}
          icon={<X />}
          onClick={onRemove}
          className="col-start-2 row-start-1 sm:col-start-3"
        />
      </div>
      {error !== undefined && (
        <p id={`${line.key}-error`} role="alert" className="text-sm text-bad">
          {line.name.trim()} {error}
        </p>
      )}
    </div>
  );
}
