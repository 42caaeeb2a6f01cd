import type { Column } from "./data-table.tsx";
import { RelativeTime } from "./relative-time.tsx";

/** When a row was made, at the end of a table and in the corner of a card. */
export function whenColumn(title = "When"): Column<{ readonly created_at: string }> {
  return {
    title,
    width: "9rem",
    narrow: "trailing",
    isNumber: true,
    text: ({ created_at: at }) => at,
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  };
}

/** The name of a row, at the begin of a table and of a card. */
export const NAME_COLUMN: Column<{ readonly name: string }> = {
  title: "Name",
  width: "2fr",
  narrow: "title",
  text: ({ name }) => name,
  render: ({ name }) => <span className="font-medium">{name}</span>,
};
