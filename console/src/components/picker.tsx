import { clsx } from "clsx";
import { Combobox, type ComboboxProps } from "./combobox.tsx";
import { Select } from "./select.tsx";

/** More are searched instead of scrolled. */
export const MAX_SCROLLED = 20;

/** One of some agents, swarms, models or datasets: the native select for a few, a searchable list for many. */
export function Picker({ label, value, choices, onChange, onSearch, className }: ComboboxProps) {
  const shared = { value: value ?? "", choices, onChange };
  return choices.length > MAX_SCROLLED ? (
    <div className={clsx("min-w-0", className)}>
      <Combobox label={label} onSearch={onSearch} {...shared} />
    </div>
  ) : (
    <Select aria-label={label} className={className} {...shared} />
  );
}
