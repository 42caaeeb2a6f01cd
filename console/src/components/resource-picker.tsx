import { useEffect, useState } from "react";
import { Checkbox } from "./checkbox.tsx";
import { SearchInput } from "./search-input.tsx";
import { useDebounced } from "./use-debounced.ts";

interface ResourcePickerProps {
  readonly choices: readonly { readonly id: string; readonly label: string }[];
  /** Ids. Null means all. */
  readonly picked: readonly string[] | null;
  onPick(picked: readonly string[] | null): void;
  /** Looks for others than the choices. */
  onSearch(text: string): void;
}

const MAX_UNSEARCHED = 6;

/** What a key or a connected program is bound to. */
export function ResourcePicker({ choices, picked, onPick, onSearch }: ResourcePickerProps) {
  const [search, setSearch] = useState("");
  const settled = useDebounced(search);
  useEffect(() => {
    onSearch(settled);
  }, [onSearch, settled]);
  const found = choices.filter(({ label }) => label.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <div className="grid grid-cols-1 gap-3">
      <Checkbox
        label="All my agents and swarms"
        hint="Also those that you create later."
        isChecked={picked === null}
        onChange={(isAll) => onPick(isAll ? null : [])}
      />
      {picked !== null && choices.length > MAX_UNSEARCHED && (
        <SearchInput label="Search agents and swarms" value={search} onChange={setSearch} />
      )}
      {picked !== null && (
        <div className="grid max-h-56 gap-2 overflow-y-auto rounded-md border border-line p-3 wrap-anywhere">
          {found.map(({ id, label }) => (
            <Checkbox
              key={id}
              label={label}
              isChecked={picked.includes(id)}
              onChange={(isOn) => onPick(isOn ? [...picked, id] : picked.filter((other) => other !== id))}
            />
          ))}
        </div>
      )}
    </div>
  );
}
