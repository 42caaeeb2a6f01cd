import { AGENT_SETTINGS } from "@swarmbase/sdk";
import { Plus, X } from "lucide-react";
import { Button } from "../../components/button.tsx";
import { IconButton } from "../../components/icon-button.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { typed } from "../../components/typed.ts";
import { Hint } from "./setting-hint.tsx";

export interface StopFieldsProps {
  readonly texts: readonly string[];
  readonly error: string | undefined;
  readonly warning: string | undefined;
  onChange(texts: readonly string[]): void;
}

/** Each stop sequence is a separate field, because blanks are significant. */
export function StopFields({ texts, error, warning, onChange }: StopFieldsProps) {
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
        Add a stop sequence
      </Button>
    </fieldset>
  );
}
