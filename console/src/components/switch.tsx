import { Switch as Primitive } from "radix-ui";
import { useFieldLinks } from "./field.tsx";

interface SwitchProps {
  readonly isOn: boolean;
  onChange(isOn: boolean): void;
  /** Required outside of a Field. */
  readonly label?: string;
  readonly isDisabled?: boolean;
}

export function Switch({ isOn, onChange, label, isDisabled = false }: SwitchProps) {
  return (
    <Primitive.Root
      {...useFieldLinks()}
      {...(label !== undefined && { "aria-label": label })}
      checked={isOn}
      onCheckedChange={onChange}
      disabled={isDisabled}
      className="relative h-6 w-10 shrink-0 rounded-full border border-field-line bg-sunken transition-colors disabled:opacity-50 data-[state=checked]:border-accent data-[state=checked]:bg-accent"
    >
      <Primitive.Thumb className="block size-4 translate-x-[3px] rounded-full bg-ink-faint transition-transform data-[state=checked]:translate-x-[19px] data-[state=checked]:bg-on-accent" />
    </Primitive.Root>
  );
}
