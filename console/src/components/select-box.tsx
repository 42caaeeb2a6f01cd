import { clsx } from "clsx";

interface SelectBoxProps {
  /** The name of the row. */
  readonly name: string;
  readonly isSelected: boolean;
  onToggle(isRange: boolean): void;
  readonly className?: string;
}

/** Selects a row of a list. With Shift, by mouse or keyboard, also everything between it and the last one. */
export function SelectBox({ name, isSelected, onToggle, className }: SelectBoxProps) {
  return (
    <input
      type="checkbox"
      aria-label={`Select ${name}`}
      checked={isSelected}
      onChange={({ nativeEvent }) => onToggle("shiftKey" in nativeEvent && nativeEvent.shiftKey === true)}
      // The box is drawn inside of an element that is large enough for a finger.
      className={clsx(
        "pointer-events-auto relative z-10 grid size-6 shrink-0 cursor-pointer appearance-none place-items-center rounded-sm",
        "before:flex before:size-4.5 before:items-center before:justify-center before:rounded-[5px] before:border before:border-field-line before:bg-surface before:content-['']",
        "before:text-xs before:font-bold before:text-on-accent checked:before:border-accent checked:before:bg-accent checked:before:content-['✓']",
        className,
      )}
    />
  );
}
