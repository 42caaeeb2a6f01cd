import { useId } from "react";
import type { AgentDraft } from "../../data/agents.ts";
import type { Model } from "../../data/models.ts";
import type { ReadResult } from "../../data/rows.ts";
import { Combobox } from "../../components/combobox.tsx";
import { FailureState } from "../../components/failure-state.tsx";
import { Field } from "../../components/field.tsx";
import { formatCompact } from "../../components/formats.ts";
import { Select } from "../../components/select.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { ModelDetails, formatPrice } from "./model-details.tsx";
import { listProviderChoices } from "../../data/providers.ts";

interface ModelFieldsProps {
  readonly models: ReadResult<readonly Model[]>;
  /** The model that the draft selects. */
  readonly model: Model | undefined;
  readonly draft: Pick<AgentDraft, "framework" | "model">;
  onChange(change: Partial<Pick<AgentDraft, "framework" | "model">>): void;
  readonly errors: Readonly<Record<string, string>>;
}

export function ModelFields({ models, model, draft, onChange, errors }: ModelFieldsProps) {
  const { rows, failure, reload } = models;
  if (rows === undefined && failure !== null)
    return <FailureState title="The models could not be loaded." message={failure.message} onRetry={reload} />;
  const offered = rows?.filter(({ framework }) => framework === draft.framework) ?? [];
  return (
    <div className="grid gap-5">
      <Field label="Provider" error={errors["framework"]}>
        <Select
          value={draft.framework}
          choices={listProviderChoices()}
          // A model belongs to its provider, so a new provider starts with its default.
          onChange={(framework) => onChange({ framework, model: null })}
        />
      </Field>
      {rows === undefined ? (
        <Skeleton className="h-40" />
      ) : (
        <>
          <Field label="Model" error={errors["model"]}>
            <ModelPicker offered={offered} value={draft.model} onChange={(next) => onChange({ model: next })} />
          </Field>
          {model === undefined ? (
            <p className="text-sm text-ink-faint">
              {NAMES_VENDOR.test(draft.model ?? "")
                ? "The service chooses the provider of this vendor."
                : "This model is not in the list of the service."}
            </p>
          ) : (
            <ModelDetails model={model} />
          )}
        </>
      )}
    </div>
  );
}

interface ModelPickerProps {
  readonly offered: readonly Model[];
  readonly value: string | null;
  onChange(model: string | null): void;
}

const DEFAULT = "";
/** `openai/gpt-5.4-mini`: the service finds the provider of the vendor when the agent is saved. */
const NAMES_VENDOR = /^[^/\s]+\/\S+$/;

function ModelPicker({ offered, value, onChange }: ModelPickerProps) {
  const listId = useId();
  const standard = offered.find(({ is_default: isDefault }) => isDefault);
  if (offered.length === 0 || offered.some(({ is_list_open: isOpen }) => isOpen))
    return (
      <>
        <TextInput
          list={listId}
          autoComplete="off"
          spellCheck={false}
          placeholder={standard === undefined ? "The provider's default" : `Default: ${standard.id}`}
          value={value ?? ""}
          onChange={({ target }) => onChange(target.value === "" ? null : target.value)}
        />
        <datalist id={listId}>
          {offered.map(({ id }) => (
            <option key={id} value={id} />
          ))}
        </datalist>
      </>
    );
  const choices = offered.map((row) => ({
    value: row.id,
    label: row.id,
    hint: [
      ...(row.context_window === null ? [] : [`${formatCompact(row.context_window)} context`]),
      formatPrice(row),
    ].join(" · "),
  }));
  // A model that is no longer offered stays visible until another one is selected.
  const isKnown = value === null || offered.some(({ id }) => id === value);
  return (
    <Combobox
      label="Model"
      value={value ?? DEFAULT}
      choices={[
        { value: DEFAULT, label: "The provider's default", ...(standard !== undefined && { hint: standard.id }) },
        ...(isKnown || value === null
          ? []
          : [{ value, label: value, hint: NAMES_VENDOR.test(value) ? "Of this vendor" : "No longer offered" }]),
        ...choices,
      ]}
      onChange={(next) => onChange(next === DEFAULT ? null : next)}
      accepts={(text) => NAMES_VENDOR.test(text)}
    />
  );
}
