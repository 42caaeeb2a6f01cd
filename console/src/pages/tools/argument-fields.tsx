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
import { type Argument, type ArgumentType, readArguments, typeOf, withType, writeArguments } from "./arguments.ts";

export interface ArgumentFieldsProps {
  readonly schema: JsonObject;
  onChange(schema: JsonObject): void;
  /** False while the JSON cannot be read: then nothing must be sent. */
  onReadable(isReadable: boolean): void;
  /** Names in braces that no argument stands for. */
  readonly missing: readonly string[];
  readonly error: string | undefined;
}

type View = "list" | "json";

/** What the model has to say when it calls the tool: one by one, or as the schema that it becomes. */
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
                hint="JSON Schema of an object. Inputs that do not fit never reach your server."
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
  // An object cannot hold two of a name or one without, but somebody who types goes through both.
  const [list, setList] = useState(() => readArguments(schema));
  const change = (next: readonly Argument[]) => {
    setList(next);
    onChange(writeArguments(schema, next));
  };
  const add = (names: readonly string[]) =>
    change([...list, ...names.map((name) => ({ name, schema: { type: "string" }, isRequired: name !== "" }))]);
  return (
    <div className="grid gap-3">
      {list.length === 0 && (
        <p className="text-ink-soft">It takes none: the model only decides when to call it, not with what.</p>
      )}
      {list.map((argument, at) => (
        // Arguments have no identity but their place while they are being written.
        <ArgumentRow
          key={at}
          argument={argument}
          at={at}
          isTwice={list.some(({ name }, place) => place < at && name === argument.name && name !== "")}
          onChange={(next) => change(list.map((old, place) => (place === at ? next : old)))}
          onRemove={() => change(list.filter((_, place) => place !== at))}
        />
      ))}
      <div className="flex flex-wrap items-center gap-2">
        <Button size="small" icon={<Plus />} onClick={() => add([""])}>
          Add an argument
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
  readonly at: number;
  readonly isTwice: boolean;
  onChange(argument: Argument): void;
  onRemove(): void;
}

function ArgumentRow({ argument, at, isTwice, onChange, onRemove }: ArgumentRowProps) {
  const { name, schema, isRequired } = argument;
  const description = typeof schema["description"] === "string" ? schema["description"] : "";
  const describe = (text: string) => {
    const { description: _old, ...others } = schema;
    onChange({ ...argument, schema: text === "" ? others : { ...others, description: text } });
  };
  return (
    <div role="group" aria-label={`Argument ${at + 1}`} className="grid gap-2 rounded-md border border-line p-3">
      <div className="flex flex-wrap items-center gap-2">
        <TextInput
          aria-label={`Name of argument ${at + 1}`}
          placeholder="order_number"
          autoComplete="off"
          spellCheck={false}
          className="min-w-32 flex-1"
          value={name}
          {...(isTwice && { "aria-invalid": true })}
          onChange={({ target }) => onChange({ ...argument, name: target.value })}
        />
        <Select
          aria-label={`Type of argument ${at + 1}`}
          className="w-36"
          value={typeOf(argument)}
          choices={TYPES}
          onChange={(type) => type !== "other" && onChange({ ...argument, schema: withType(schema, type) })}
        />
        <IconButton label={`Remove argument ${name === "" ? at + 1 : name}`} icon={<X />} onClick={onRemove} />
      </div>
      {isTwice && (
        <p role="alert" className="text-sm text-bad">
          Another argument has this name.
        </p>
      )}
      <TextInput
        aria-label={`What argument ${at + 1} is`}
        placeholder="What it is, for the model"
        autoComplete="off"
        value={description}
        onChange={({ target }) => describe(target.value)}
      />
      <Checkbox
        label="Must be given"
        isChecked={isRequired}
        onChange={(next) => onChange({ ...argument, isRequired: next })}
      />
    </div>
  );
}
