import type { ReactNode } from "react";

/** A number with its label. */
export function Stat({
  label,
  value,
  note,
}: {
  readonly label: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
}) {
  return (
    <div className="grid min-w-0 content-start gap-1 rounded-lg border border-line bg-surface p-4 shadow-1">
      <div className="text-sm text-pretty text-ink-faint">{label}</div>
      <div className="text-xl font-semibold wrap-anywhere tabular-nums">{value}</div>
      {note !== undefined && <div className="text-sm text-pretty wrap-anywhere text-ink-soft">{note}</div>}
    </div>
  );
}
