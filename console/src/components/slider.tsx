import { Slider as Primitive } from "radix-ui";
import { useFieldLinks } from "./field.tsx";
import { TextInput } from "./text-input.tsx";

interface SliderProps {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  onChange(value: number): void;
}

/** A slider and a number input for the same value. Use it inside a Field. */
export function Slider({ label, value, min, max, step, onChange }: SliderProps) {
  const links = useFieldLinks();
  return (
    <div className="flex items-center gap-4">
      <Primitive.Root
        value={[Number.isNaN(value) ? min : Math.min(max, Math.max(min, value))]}
        min={min}
        max={max}
        step={step}
        onValueChange={([next]) => onChange(next ?? value)}
        className="relative flex h-9 flex-1 touch-none items-center select-none"
      >
        <Primitive.Track className="relative h-1.5 flex-1 rounded-full bg-line-strong">
          <Primitive.Range className="absolute h-full rounded-full bg-accent" />
        </Primitive.Track>
        <Primitive.Thumb
          aria-label={label}
          className="block size-5 rounded-full border-2 border-accent bg-surface shadow-1 hover:bg-accent-soft"
        />
      </Primitive.Root>
      <div className="w-24 shrink-0">
        <TextInput
          {...links}
          type="number"
          inputMode="decimal"
          value={Number.isNaN(value) ? "" : value}
          min={min}
          max={max}
          step={step}
          onChange={({ target }) => onChange(target.valueAsNumber)}
          className="tabular-nums"
        />
      </div>
    </div>
  );
}
