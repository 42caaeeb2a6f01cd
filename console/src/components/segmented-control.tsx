import { RadioGroup as Primitive } from "radix-ui";

interface SegmentedControlProps<Value extends string> {
  /** The accessible name. */
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly { readonly value: Value; readonly label: string }[];
  onChange(value: Value): void;
}

/** A choice between a few short labels side by side. */
export function SegmentedControl<Value extends string>(props: SegmentedControlProps<Value>) {
  const { label, value, choices, onChange } = props;
  return (
    <Primitive.Root
      aria-label={label}
      orientation="horizontal"
      value={value}
      onValueChange={(next) => {
        const chosen = choices.find((choice) => choice.value === next);
        if (chosen !== undefined) onChange(chosen.value);
      }}
      className="inline-flex max-w-full items-center gap-0.5 rounded-md border border-line bg-sunken p-0.5"
    >
      {choices.map((choice) => (
        <Primitive.Item
          key={choice.value}
          value={choice.value}
          aria-label={choice.label}
          className="h-8 truncate rounded-sm px-3 text-base font-medium text-ink-soft transition-colors hover:text-ink data-[state=checked]:bg-raised data-[state=checked]:text-ink data-[state=checked]:shadow-1"
        >
          {choice.label}
        </Primitive.Item>
      ))}
    </Primitive.Root>
  );
}
