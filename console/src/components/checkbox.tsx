import { Check, Minus } from "lucide-react";
import { Checkbox as Primitive } from "radix-ui";
import { type ReactNode, useId } from "react";

interface CheckboxProps {
  readonly isChecked: boolean | "some";
  onChange(isChecked: boolean): void;
  readonly label: ReactNode;
  readonly hint?: ReactNode;
}

export function Checkbox({ isChecked, onChange, label, hint }: CheckboxProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-2.5">
      <Primitive.Root
        id={id}
        checked={isChecked === "some" ? "indeterminate" : isChecked}
        onCheckedChange={(state) => onChange(state === true)}
        {...(hint !== undefined && { "aria-describedby": `${id}-hint` })}
        className="mt-0.5 flex size-[18px] shrink-0 items-center justify-center rounded-[5px] border border-field-line bg-surface text-on-accent data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent"
      >
        <Primitive.Indicator>
          {isChecked === "some" ? <Minus className="size-3.5" /> : <Check className="size-3.5" strokeWidth={3} />}
        </Primitive.Indicator>
      </Primitive.Root>
      <div className="grid min-w-0 gap-0.5">
        <label htmlFor={id} className="text-base">
          {label}
        </label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-sm text-ink-faint">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
