import type { ReactNode } from "react";

/** A value of null is left out. */
export type Fact = readonly [label: string, value: ReactNode];

/** Labels and values below each other. */
export function Facts({ rows }: { readonly rows: readonly Fact[] }) {
  return (
    <dl className="grid grid-cols-1 gap-x-6 gap-y-1.5 sm:grid-cols-[9rem_minmax(0,1fr)]">
      {rows.map(([label, value]) =>
        value === null ? null : (
          <div key={label} className="contents">
            <dt className="text-ink-faint">{label}</dt>
            <dd className="min-w-0 wrap-anywhere tabular-nums">{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
