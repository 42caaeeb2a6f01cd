import type { JsonObject } from "@swarmbase/sdk";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Checkbox } from "../../components/checkbox.tsx";
import { IconButton } from "../../components/icon-button.tsx";
import { JsonEditor } from "../../components/json-editor.tsx";
import { Select } from "../../components/select.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { typed } from "../../components/typed.ts";
import { type Argument, type ArgumentType, readArguments, typeOf, withType, writeArguments } from "./arguments.ts";

interface ArgumentFieldsProps {
  readonly schema: JsonObject;
  onChange(schema: JsonObject): void;
  /** Reports whether the JSON is valid; an invalid form must not be sent. */
  onReadable(isReadable: boolean): void;
  /** Placeholders without an argument. */
  readonly missing: readonly string[];
  readonly error: string | undefined;
}

type View = "list" | "json";

/** Edits the arguments of a tool as a list or as a JSON Schema. */
export function ArgumentFields({ schema, onChange, onReadable, missing, error }: ArgumentFieldsProps) {
  const [view, setView] = useState<View>("list");
  return (
    <div className="grid gap-3">
      <Tabs<View>
        label="How to edit the arguments"
        value={view}
        onChange={(next) => {
          onReadable(true);
          setView(next);
        }}
        tabs={[
          {
            value: "list",
            label: "Arguments",
            content: <ArgumentList schema={schema} onChange={onChange} missing={missing} />,
          },
          {
            value: "json",
            label: "JSON Schema",
            content: (
              <JsonEditor
                label="Input schema"
                hint="JSON Schema of an object. Invalid inputs are not sent to your server."
                value={schema}
                mustBeObject
                error={error}
                onChange={(read) => {
                  onReadable(read !== null);
                  if (read !== null) onChange(read.parsed as JsonObject);
                }}
              />
            ),
          },
        ]}
      />
      {error !== undefined && view === "list" && (
        <p role="alert" className="text-sm text-bad">
          The schema {error}
        </p>
      )}
    </div>
  );
}

type ArgumentListProps = Pick<ArgumentFieldsProps, "schema" | "onChange" | "missing">;

function ArgumentList({ schema, onChange, missing }: ArgumentListProps) {
  // A list, because while typing two arguments can have the same name or none, which an object cannot represent.
  const [list, setList] = useState(() => readArguments(schema));
  const change = (next: readonly Argument[]) => {
    setList(next);
    onChange(writeArguments(schema, next));
  };
  const add = (names: readonly string[]) =>
    change([...list, ...names.map((name) => ({ name, schema: { type: "string" }, isRequired: name !== "" }))]);
  return (
    <div className="grid gap-3">
      {list.length === 0 && <p className="text-ink-soft">The tool has no arguments.</p>}
      {list.map((argument, index) => (
        // Arguments have no identity except their position.
        <ArgumentRow
          key={index}
          argument={argument}
          index={index}
          isTwice={list.some(({ name }, other) => other < index && name === argument.name && name !== "")}
          onChange={(next) => change(list.map((old, other) => (other === index ? next : old)))}
          onRemove={() => change(list.filter((_, other) => other !== index))}
        />
      ))}
      <div className="flex flex-wrap items-center gap-2">
        <Button size="small" icon={<Plus />} onClick={() => add([""])}>
          Add argument
        </Button>
        {missing.length > 0 && (
          <Button size="small" icon={<Plus />} onClick={() => add(missing)}>
            Add {missing.map((name) => `{${name}}`).join(", ")} from the request
          </Button>
        )}
      </div>
    </div>
  );
}

const TYPES: readonly { readonly value: ArgumentType; readonly label: string; readonly isDisabled?: boolean }[] = [
  { value: "string", label: "Text" },
  { value: "number", label: "Number" },
  { value: "integer", label: "Whole number" },
  { value: "boolean", label: "Yes or no" },
  { value: "texts", label: "List of texts" },
  { value: "other", label: "Other (JSON)", isDisabled: true },
];

interface ArgumentRowProps {
  readonly argument: Argument;
  readonly index: number;
  readonly isTwice: boolean;
  onChange(argument: Argument): void;
  onRemove(): void;
}

function ArgumentRow({ argument, index, isTwice, onChange, onRemove }: ArgumentRowProps) {
  const { name, schema, isRequired } = argument;
  const description = typeof schema["description"] === "string" ? schema["description"] : "";
  const describe = (text: string) => {
    const { description: _old, ...others } = schema;
    onChange({ ...argument, schema: text === "" ? others : { ...others, description: text } });
  };
  return (
    <div role="group" aria-label={`Argument ${index + 1}`} className="grid gap-2 rounded-md border border-line p-3">
      <div className="flex flex-wrap items-center gap-2">
        <TextInput
          aria-label={`Name of argument ${index + 1}`}
          placeholder="order_number"
          autoComplete="off"
          spellCheck={false}
          className="min-w-32 flex-1"
          {...typed(name, (name) => onChange({ ...argument, name }))}
          {...(isTwice && { "aria-invalid": true })}
        />
        <Select
          aria-label={`Type of argument ${index + 1}`}
          className="w-36"
          value={typeOf(argument)}
          choices={TYPES}
          onChange={(type) => type !== "other" && onChange({ ...argument, schema: withType(schema, type) })}
        />
        <IconButton label={`Remove argument ${name === "" ? index + 1 : name}`} icon={<X />} onClick={onRemove} />
      </div>
      {isTwice && (
        <p role="alert" className="text-sm text-bad">
          Another argument has this name.
        </p>
      )}
      <TextInput
        aria-label={`Description of argument ${index + 1}`}
        placeholder="Description for the model"
        autoComplete="off"
        {...typed(description, describe)}
      />
      <Checkbox
        label="Required"
        isChecked={isRequired}
        onChange={(next) => onChange({ ...argument, isRequired: next })}
      />
    </div>
  );
}
