import { useId } from "react";
import { Switch } from "../../components/switch.tsx";

interface ChoiceProps {
  readonly label: string;
  readonly hint: string;
  readonly value: boolean;
  readonly error?: string | undefined;
  onChange(isOn: boolean): void;
}

/** A switch with a description. */
export function Choice({ label, hint, value, error, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <div className="flex items-start justify-between gap-4">
      <div id={id} className="grid gap-0.5">
        <span className="text-sm font-medium">{label}</span>
        <span className="text-sm text-ink-faint">{hint}</span>
        {error !== undefined && (
          <span role="alert" className="text-sm text-bad">
            {error}
          </span>
        )}
      </div>
      <Switch label={`${label}. ${hint}`} isOn={value} onChange={onChange} />
    </div>
  );
}
