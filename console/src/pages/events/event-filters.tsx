import { formatCount } from "../../components/formats.ts";
import { SearchInput } from "../../components/search-input.tsx";
import { type Choice, Select } from "../../components/select.tsx";
import { Toolbar } from "../../components/toolbar.tsx";
import { type ChangeType, type Noun, NOUN_LABELS, NOUNS, TYPES_BY_NOUN } from "./change-types.ts";
import type { EventFilter } from "./filter.ts";

export interface EventFiltersProps {
  readonly filter: EventFilter;
  onChange(parameters: Readonly<Record<string, string>>): void;
  readonly shown: number;
  readonly kept: number;
}

const NOUN_CHOICES: readonly Choice<Noun | "">[] = [
  { value: "", label: "Everything" },
  ...NOUNS.map((value) => ({ value, label: NOUN_LABELS[value] })),
];

export function EventFilters({ filter, onChange, shown, kept }: EventFiltersProps) {
  const { noun, type, search } = filter;
  const types: readonly ChangeType[] = noun === null ? Object.values(TYPES_BY_NOUN).flat() : TYPES_BY_NOUN[noun];
  return (
    <Toolbar label="Filter the events">
      <div className="flex w-full sm:w-72">
        <SearchInput label="Search the events" value={search} onChange={(text) => onChange({ search: text })} />
      </div>
      <Select<Noun | "">
        aria-label="About"
        value={noun ?? ""}
        choices={NOUN_CHOICES}
        onChange={(next) => onChange({ noun: next, type: "" })}
        className="min-w-32 flex-1 sm:flex-none"
      />
      <Select<ChangeType | "">
        aria-label="Type"
        value={type ?? ""}
        choices={[{ value: "", label: "Every type" }, ...types.map((value) => ({ value, label: value }))]}
        onChange={(next) => onChange({ type: next })}
        className="min-w-40 flex-1 sm:flex-none"
      />
      <span className="text-sm text-ink-faint tabular-nums sm:ml-auto">
        {shown === kept ? formatCount(kept) : `${formatCount(shown)} of ${formatCount(kept)}`} events
      </span>
    </Toolbar>
  );
}
