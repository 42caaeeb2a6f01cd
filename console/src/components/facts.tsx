import { Fragment, type ReactNode } from "react";

/** Labels and values below each other. */
export function Facts({ rows }: { readonly rows: readonly (readonly [label: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-1 gap-x-6 gap-y-1.5 sm:grid-cols-[9rem_minmax(0,1fr)]">
      {rows.map(([label, value]) => (
        <Fragment key={label}>
          <dt className="text-ink-faint">{label}</dt>
          <dd className="min-w-0 wrap-anywhere">{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
