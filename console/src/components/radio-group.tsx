import { RadioGroup as Primitive } from "radix-ui";
import { type ReactNode, useId } from "react";

interface RadioChoice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: ReactNode;
}

export interface RadioGroupProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly RadioChoice<Value>[];
  onChange(value: Value): void;
}

/** Radio buttons, each with a description. */
export function RadioGroup<Value extends string>({ label, value, choices, onChange }: RadioGroupProps<Value>) {
  const id = useId();
  return (
    <Primitive.Root
      aria-label={label}
      value={value}
      onValueChange={(next) => {
        const chosen = choices.find((choice) => choice.value === next);
        if (chosen !== undefined) onChange(chosen.value);
      }}
      className="grid gap-2"
    >
      {choices.map((choice) => (
        <label
          key={choice.value}
          htmlFor={`${id}-${choice.value}`}
          className="flex cursor-pointer items-start gap-3 rounded-md border border-line bg-surface p-3 hover:bg-hover has-data-[state=checked]:border-accent has-data-[state=checked]:bg-accent-soft"
        >
          <Primitive.Item
            id={`${id}-${choice.value}`}
            value={choice.value}
            className="mt-0.5 flex size-[18px] shrink-0 items-center justify-center rounded-full border border-field-line bg-surface data-[state=checked]:border-accent"
          >
            <Primitive.Indicator className="size-2.5 rounded-full bg-accent" />
          </Primitive.Item>
          <span className="grid gap-0.5">
            <span className="font-medium">{choice.label}</span>
            {choice.hint !== undefined && <span className="text-sm text-ink-soft">{choice.hint}</span>}
          </span>
        </label>
      ))}
    </Primitive.Root>
  );
}
