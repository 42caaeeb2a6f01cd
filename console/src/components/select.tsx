import { clsx } from "clsx";
import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { useFieldLinks } from "./field.tsx";
import { INPUT_STYLE } from "./text-input.tsx";

export interface Choice<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
  readonly isDisabled?: boolean;
}

export interface SelectProps<Value extends string>
  extends Omit<ComponentProps<"select">, "onChange" | "value" | "size"> {
  readonly value: Value;
  readonly choices: readonly Choice<Value>[];
  onChange(value: Value): void;
  readonly size?: "small" | "medium";
}

/** The native select. For long lists use Combobox. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { value, choices, onChange, size = "medium", className, ...rest } = props;
  return (
    <div className={clsx("relative min-w-0", className)}>
      <select
        {...useFieldLinks()}
        {...rest}
        value={value}
        onChange={({ target }) => {
          const chosen = choices.find((choice) => choice.value === target.value);
          if (chosen !== undefined) onChange(chosen.value);
        }}
        className={clsx(INPUT_STYLE, "appearance-none truncate pr-9", size === "small" ? "h-7 text-sm" : "h-9")}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} disabled={choice.isDisabled}>
            {choice.label}
          </option>
        ))}
      </select>
      <ChevronDown
        className={clsx(
          "pointer-events-none absolute right-3 size-4 text-ink-faint",
          size === "small" ? "top-1.5" : "top-2.5",
        )}
        aria-hidden
      />
    </div>
  );
}
