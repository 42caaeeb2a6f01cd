import type { Column } from "./data-table.tsx";
import { RelativeTime } from "./relative-time.tsx";

/** When a row was made, at the end of a table and in the corner of a card. */
export function whenColumn(title = "When"): Column<{ readonly created_at: string }> {
  return {
    title,
    width: "9rem",
    narrow: "trailing",
    isNumber: true,
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  };
}
