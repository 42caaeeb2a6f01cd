import { clsx } from "clsx";
import { Download, ListFilter as FilterIcon, X } from "lucide-react";
import { useState } from "react";
import { Button } from "./button.tsx";
import { Combobox } from "./combobox.tsx";
import { writeRows } from "./csv.ts";
import type { Column } from "./data-table.tsx";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";
import { formatCount } from "./formats.ts";
import { saveFile } from "./save-file.ts";
import { MAX_SCROLLED, Picker } from "./picker.tsx";
import { type Choice, Select } from "./select.tsx";
import { TextInput } from "./text-input.tsx";
import { useToast } from "./toast.tsx";
import { typed } from "./typed.ts";
import { type Filters, TIME, TIME_CHOICES } from "./use-filters.ts";

/** A filter with values to choose from, which is a parameter of the address. */
export interface ListFilter {
  readonly name: string;
  /** "Status" */
  readonly label: string;
  /** What is shown without a choice; by default "Any status". */
  readonly any?: string;
  /** The values apart from it. */
  readonly choices: readonly Choice[];
  /** Looks for values beyond the choices. */
  onSearch?(text: string): void;
}

/** The orders of a list by their labels, the first by default. */
export type Orders = Readonly<Record<string, string>>;

/** The orders of rows that have a name. */
export const NAMED_ORDERS: Orders = {
  newest: "Newest first",
  oldest: "Oldest first",
  name: "By name",
  changed: "Last changed first",
};

const TIME_FILTER: ListFilter = { name: TIME, label: "Time", choices: TIME_CHOICES };
const BOUNDS = [
  ["from", "From"],
  ["to", "To"],
] as const;

interface ListFiltersProps {
  readonly filters: Filters;
  readonly choices: readonly ListFilter[];
  readonly hasTime: boolean;
  readonly orders?: Orders | undefined;
}

/** Filters as chips, of which those that are set can be removed. On a phone the others are in a sheet. */
export function ListFilters({ filters, choices, hasTime, orders }: ListFiltersProps) {
  const [isOpen, setOpen] = useState(false);
  const all = [
    ...choices.filter((filter) => filter.choices.length > 0 || filters.get(filter.name) !== ""),
    ...(hasTime ? [TIME_FILTER] : []),
  ];
  const isCustom = hasTime && filters.get(TIME) === "custom";
  if (all.length === 0 && orders === undefined) return null;
  const bounds = isCustom && BOUNDS.map(([name, label]) => <Bound key={name} {...{ name, label, filters }} />);
  const order = orders && <Order filters={filters} orders={orders} />;
  return (
    <>
      {all.map((filter) => (
        <Chip key={filter.name} filter={filter} filters={filters} />
      ))}
      <span className="contents max-sm:hidden">
        {bounds}
        {order}
      </span>
      <Button className="sm:hidden" icon={<FilterIcon />} onClick={() => setOpen(true)}>
        Filters
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Filters"
        footer={
          <>
            <Button onClick={filters.clear}>Clear all</Button>
            <Button variant="primary" onClick={() => setOpen(false)}>
              Show
            </Button>
          </>
        }
      >
        <div className="grid gap-4">
          {all.map((filter) => (
            <Field key={filter.name} label={filter.label}>
              <Picker
                label={filter.label}
                value={filters.get(filter.name)}
                choices={withAny(filter)}
                onChange={(value) => filters.set(filter.name, value)}
                onSearch={filter.onSearch}
              />
            </Field>
          ))}
          {bounds}
          {order}
        </div>
      </Dialog>
    </>
  );
}

function withAny({ label, any = `Any ${label.toLowerCase()}`, choices }: ListFilter): readonly Choice[] {
  return [{ value: "", label: any }, ...choices];
}

function Bound({ name, label, filters }: { readonly name: string; readonly label: string; readonly filters: Filters }) {
  const value = filters.get(name);
  // A link can name a day alone.
  const shown = value.length === 10 ? `${value}T00:00` : value;
  return (
    <TextInput
      type="datetime-local"
      aria-label={label}
      className="sm:w-52"
      {...typed(shown, (text) => filters.set(name, text))}
    />
  );
}

function Order({ filters, orders }: { readonly filters: Filters; readonly orders: Orders }) {
  const known = Object.keys(orders);
  return (
    <Select
      aria-label="Order"
      className="sm:w-44"
      value={filters.sort(known as [string])}
      choices={known.map((value) => ({ value, label: orders[value] ?? value }))}
      onChange={(value) => filters.setSort(value === known[0] ? "" : value)}
    />
  );
}

const CHIP =
  "h-full min-w-25 max-w-48 cursor-pointer appearance-none truncate rounded-full bg-transparent px-3.5 text-base";

function Chip({ filter, filters }: { readonly filter: ListFilter; readonly filters: Filters }) {
  const { name, label, choices, onSearch } = filter;
  const value = filters.get(name);
  const isSet = value !== "";
  const set = (next: string) => filters.set(name, next);
  // The value of the address stays a choice when it is not listed.
  const isKnown = !isSet || choices.some((choice) => choice.value === value);
  const offered = [...withAny(filter), ...(isKnown ? [] : [{ value, label: `Another ${label.toLowerCase()}` }])];
  return (
    <span
      className={clsx(
        "inline-flex h-9 min-w-0 items-center rounded-full border",
        isSet
          ? "border-accent bg-accent-soft text-accent"
          : "border-dashed border-field-line text-ink-soft max-sm:hidden",
      )}
    >
      {choices.length > MAX_SCROLLED ? (
        <Combobox {...{ label, value, onSearch }} choices={offered} onChange={set} className={CHIP} />
      ) : (
        <select
          aria-label={label}
          value={value}
          onChange={({ target }) => set(target.value)}
          className={clsx(CHIP, "field-sizing-content", isSet && "pr-1.5")}
        >
          {offered.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
      {isSet && (
        <button
          type="button"
          aria-label={`Remove the filter ${label}`}
          onClick={() => set("")}
          className="grid size-8 shrink-0 place-items-center rounded-full hover:bg-hover"
        >
          <X className="size-4" aria-hidden />
        </button>
      )}
    </span>
  );
}

interface ExportButtonProps<Row> {
  /** "runs": the name of the file. */
  readonly noun: string;
  readonly columns: readonly Column<Row>[];
  /** All rows that the filters select, up to a limit. */
  readAll(): Promise<{ readonly rows: readonly Row[]; readonly isCut: boolean }>;
}

/** Saves the rows that the filters select, also those that are not loaded. */
export function ExportButton<Row>({ noun, columns, readAll }: ExportButtonProps<Row>) {
  const toast = useToast();
  const [isBusy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      const { rows, isCut } = await readAll();
      saveFile(`${noun}.csv`, new Blob([writeRows(columns, rows)], { type: "text/csv;charset=utf-8" }));
      const saved = `${formatCount(rows.length)} ${noun}`;
      toast(
        isCut
          ? { text: `Only the first ${saved} are in the file. Set a filter to export fewer.`, tone: "bad" }
          : { text: `Exported ${saved}.` },
      );
    } catch (error) {
      toast({ text: error instanceof Error ? error.message : String(error), tone: "bad" });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      variant="quiet"
      icon={<Download />}
      isBusy={isBusy}
      aria-label="Export as CSV"
      className="ml-auto"
      onClick={() => void save()}
    >
      Export
    </Button>
  );
}
