import { AGENT_SETTINGS, type AgentSettings } from "@swarmbase/sdk";
import { Plus, RotateCcw, X } from "lucide-react";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { NumberField } from "../../components/form-fields.tsx";
import { formatCount } from "../../components/formats.ts";
import { Slider } from "../../components/slider.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { IconButton } from "../../components/icon-button.tsx";
import { typed } from "../../components/typed.ts";
import type { Dropped } from "./dropped-settings.ts";
import { ResponseSchemaField } from "./response-schema-field.tsx";
import { Hint } from "./setting-hint.tsx";

interface SettingFieldsProps {
  readonly settings: AgentSettings;
  onChange(settings: AgentSettings): void;
  readonly dropped: Dropped;
  readonly errors: Readonly<Record<string, string>>;
  /** The maximum output of the model, if known. */
  readonly longest: number | null;
  /** False leaves out the response schema. */
  readonly hasSchema?: boolean;
}

const SLIDERS = [
  {
    name: "temperature",
    label: "Temperature",
    hint: "Low values give consistent replies, high values varied ones.",
    step: 0.05,
  },
  {
    name: "top_p",
    label: "Top P",
    hint: "Excludes unlikely words. Change this or the temperature, not both.",
    step: 0.01,
  },
  {
    name: "presence_penalty",
    label: "Presence penalty",
    hint: "Above 0, the model moves to new topics sooner.",
    step: 0.1,
  },
  {
    name: "frequency_penalty",
    label: "Frequency penalty",
    hint: "Above 0, the model repeats words less often.",
    step: 0.1,
  },
] as const;

/** The known settings with range and default. A setting that is not changed is not stored, so its default applies. */
export function SettingFields(props: SettingFieldsProps) {
  const { settings, onChange, dropped, errors, longest, hasSchema = true } = props;
  const set = (name: keyof typeof AGENT_SETTINGS, value: unknown) => {
    const { [name]: _old, ...others } = settings;
    onChange(value === undefined ? others : { ...others, [name]: value });
  };
  const { max_tokens: length } = AGENT_SETTINGS;
  return (
    <div className="grid gap-6">
      {SLIDERS.map(({ name, label, hint, step }) => {
        const { min, max, default: standard } = AGENT_SETTINGS[name];
        return (
          <Field
            key={name}
            label={label}
            error={errors[`settings.${name}`]}
            hint={<Hint text={hint} warning={dropped[name]} />}
            trailing={
              <Standard
                text={`${min} to ${max}, default ${standard}`}
                label={label}
                isChanged={settings[name] !== undefined}
                onReset={() => set(name, undefined)}
              />
            }
          >
            <Slider
              label={label}
              value={settings[name] ?? standard}
              min={min}
              max={max}
              step={step}
              onChange={(value) => set(name, value)}
            />
          </Field>
        );
      })}
      <NumberField
        label="Maximum output"
        error={errors["settings.max_tokens"]}
        hint={
          <Hint
            text={`In tokens of about four letters.${longest === null ? "" : ` The maximum of this model is ${formatCount(longest)}.`}`}
            warning={dropped.max_tokens}
          />
        }
        trailing={
          <Standard
            text={`from ${length.min}, default ${length.default}`}
            label="Maximum output"
            isChanged={settings.max_tokens !== undefined}
            onReset={() => set("max_tokens", undefined)}
          />
        }
        inputMode="numeric"
        min={length.min}
        step={1}
        placeholder={String(length.default)}
        value={settings.max_tokens ?? null}
        onChange={(value) => set("max_tokens", value ?? undefined)}
      />
      <StopFields
        texts={settings.stop ?? []}
        error={errors["settings.stop"]}
        warning={dropped.stop}
        onChange={(texts) => set("stop", texts.length === 0 ? undefined : [...texts])}
      />
      {hasSchema && (
        <ResponseSchemaField
          value={settings.response_schema}
          error={errors["settings.response_schema"]}
          note={dropped.response_schema}
          onChange={(schema) => set("response_schema", schema)}
        />
      )}
    </div>
  );
}

interface StandardProps {
  readonly text: string;
  readonly label: string;
  readonly isChanged: boolean;
  onReset(): void;
}

/** The range of a setting, and a reset button when it differs from the default. */
function Standard({ text, label, isChanged, onReset }: StandardProps) {
  return (
    <span className="flex items-center gap-1.5">
      {text}
      {isChanged && (
        <Button
          variant="quiet"
          size="small"
          icon={<RotateCcw />}
          className="-my-1.5"
          aria-label={`Reset: ${label}`}
          onClick={onReset}
        >
          Reset
        </Button>
      )}
    </span>
  );
}

interface StopFieldsProps {
  readonly texts: readonly string[];
  readonly error: string | undefined;
  readonly warning: string | undefined;
  onChange(texts: readonly string[]): void;
}

/** Each stop sequence is a separate field, because blanks are significant. */
function StopFields({ texts, error, warning, onChange }: StopFieldsProps) {
  const { maxItems } = AGENT_SETTINGS.stop;
  const set = (index: number, text: string) => onChange(texts.map((old, other) => (other === index ? text : old)));
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 flex w-full items-baseline justify-between gap-3 text-sm font-medium">
        <span>
          Stop sequences <span className="ml-0.5 font-normal text-ink-faint">optional</span>
        </span>
        <span className="text-xs font-normal text-ink-faint">up to {maxItems}</span>
      </legend>
      {texts.map((text, index) => (
        // Texts have no identity except their position.
        <div key={index} className="flex items-center gap-1.5">
          <TextInput
            aria-label={`Stop sequence ${index + 1}`}
            autoComplete="off"
            spellCheck={false}
            {...typed(text, (text) => set(index, text))}
            {...(error !== undefined && { "aria-invalid": true })}
          />
          <IconButton
            label={`Remove stop sequence ${index + 1}`}
            icon={<X />}
            onClick={() => onChange(texts.filter((_, other) => other !== index))}
          />
        </div>
      ))}
      <p className="text-sm text-ink-faint">
        <Hint text="The reply ends before one of these texts." warning={warning} />
      </p>
      {error !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {error}
        </p>
      )}
      <Button
        size="small"
        icon={<Plus />}
        className="justify-self-start"
        disabled={texts.length >= maxItems}
        onClick={() => onChange([...texts, ""])}
      >
        Add stop sequence
      </Button>
    </fieldset>
  );
}
