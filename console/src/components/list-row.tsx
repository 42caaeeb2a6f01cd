import type { ReactNode } from "react";

/** A list of a few rows in a card. */
export function RowList({ children }: { readonly children: ReactNode }) {
  return <ul className="empty:hidden divide-y divide-line rounded-md border border-line">{children}</ul>;
}

interface ListRowProps {
  readonly icon: ReactNode;
  readonly title: string;
  /** Below the title. */
  readonly details: ReactNode;
  /** The buttons. */
  readonly children?: ReactNode;
}

export function ListRow({ icon, title, details, children }: ListRowProps) {
  return (
    <li
      aria-label={title}
      className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-2.5 sm:flex-nowrap [&>svg]:size-4.5 [&>svg]:shrink-0 [&>svg]:text-ink-faint"
    >
      {icon}
      <div className="min-w-0 flex-1">
        <div className="font-medium wrap-anywhere">{title}</div>
        <div className="text-sm wrap-anywhere text-ink-faint">{details}</div>
      </div>
      {children}
    </li>
  );
}
