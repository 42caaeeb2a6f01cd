import { ArrowDown, ArrowUp } from "lucide-react";
import { type DescribedTable, type TableQuery, type TableRow, useEditCell } from "../../../data/operator-tables.ts";
import { Cell } from "./cell.tsx";

interface RowGridProps {
  readonly table: DescribedTable;
  readonly rows: readonly TableRow[];
  readonly query: TableQuery;
  onOrder(column: string): void;
}

/** The rows as a grid that scrolls in both directions. */
export function RowGrid({ table, rows, query, onOrder }: RowGridProps) {
  const edit = useEditCell(table);
  const keyOf = (row: TableRow) => Object.fromEntries(table.key.map((name) => [name, row[name] ?? null]));
  return (
    // A region that scrolls must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: as above
    <div
      role="region"
      aria-label={`Rows of ${table.name}`}
      tabIndex={0}
      className="max-h-[70dvh] overflow-auto rounded-lg border border-line bg-surface shadow-1"
    >
      <table className="w-max min-w-full border-collapse text-sm">
        <thead className="sticky top-0 z-10 bg-sunken">
          <tr>
            {table.columns.map(({ name, type }) => (
              <th key={name} scope="col" aria-sort={sortOf(query, name)} className="p-0 text-left">
                <button
                  type="button"
                  title={type}
                  className="flex h-9 w-full items-center gap-1 px-3 font-medium whitespace-nowrap text-ink-soft -outline-offset-2 hover:text-ink [&_svg]:size-3.5"
                  onClick={() => onOrder(name)}
                >
                  {name}
                  {query.order === name && (query.isDescending ? <ArrowDown aria-hidden /> : <ArrowUp aria-hidden />)}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            <tr
              key={table.key.length === 0 ? place : JSON.stringify(keyOf(row))}
              className="border-t border-line hover:bg-hover"
            >
              {table.columns.map((column) => (
                <td key={column.name} className="max-w-80 p-0 align-top">
                  <Cell
                    column={column}
                    value={row[column.name] ?? null}
                    onSave={(to) =>
                      edit.run({ key: keyOf(row), column: column.name, from: row[column.name] ?? null, to })
                    }
                    failure={edit.failure}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function sortOf({ order, isDescending }: TableQuery, name: string): "ascending" | "descending" | undefined {
  if (order !== name) return undefined;
  return isDescending ? "descending" : "ascending";
}
