import { Plus, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import {
  type DescribedTable,
  FILTER_OPERATORS,
  type FilterOperator,
  type TableFilter,
} from "../../../data/operator-tables.ts";
import { Button } from "../../../components/button.tsx";
import { IconButton } from "../../../components/icon-button.tsx";
import { Select } from "../../../components/select.tsx";
import { TextInput } from "../../../components/text-input.tsx";
import { typed } from "../../../components/typed.ts";

const LABELS: Readonly<Record<FilterOperator, string>> = {
  eq: "is",
  neq: "is not",
  contains: "contains",
  gt: "is greater than",
  gte: "is at least",
  lt: "is less than",
  lte: "is at most",
  null: "is empty",
  notnull: "is not empty",
};
const CHOICES = FILTER_OPERATORS.map((value) => ({ value, label: LABELS[value] }));

interface FilterBarProps {
  readonly table: DescribedTable;
  readonly filters: readonly TableFilter[];
  onChange(filters: readonly TableFilter[]): void;
}

export function FilterBar({ table, filters, onChange }: FilterBarProps) {
  const [column, setColumn] = useState(table.columns[0]?.name ?? "");
  const [operator, setOperator] = useState<FilterOperator>("eq");
  const [value, setValue] = useState("");
  const needsValue = operator !== "null" && operator !== "notnull";
  const add = (event: FormEvent) => {
    event.preventDefault();
    onChange([...filters, [column, operator, needsValue ? value : ""]]);
    setValue("");
  };
  return (
    <div className="mb-4 grid gap-2">
      <form aria-label="Add a filter" className="flex flex-wrap items-center gap-2" onSubmit={add}>
        <Select
          aria-label="Column"
          className="w-full sm:w-44"
          value={column}
          choices={table.columns.map(({ name }) => ({ value: name, label: name }))}
          onChange={setColumn}
        />
        <Select<FilterOperator>
          aria-label="Comparison"
          className="w-full sm:w-40"
          value={operator}
          choices={CHOICES}
          onChange={setOperator}
        />
        {needsValue && (
          <TextInput aria-label="Value" className="sm:w-56" maxLength={1000} {...typed(value, setValue)} />
        )}
        <Button type="submit" icon={<Plus />}>
          Add filter
        </Button>
      </form>
      {filters.length > 0 && (
        <ul aria-label="Filters" className="flex flex-wrap gap-2">
          {filters.map(([name, comparison, operand], place) => (
            <li
              key={`${name} ${comparison} ${operand}`}
              className="flex min-w-0 items-center gap-1 rounded-full bg-accent-soft py-0.5 pr-1 pl-3 text-sm text-accent"
            >
              <span className="min-w-0 wrap-anywhere">
                {name} {LABELS[comparison]} {operand}
              </span>
              <IconButton
                size="small"
                label={`Remove the filter on ${name}`}
                icon={<X />}
                onClick={() => onChange(filters.filter((_, index) => index !== place))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
