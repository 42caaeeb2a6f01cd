import { useState } from "react";
import { Checkbox } from "./checkbox.tsx";
import { SearchInput } from "./search-input.tsx";

export interface ResourcePickerProps {
  readonly choices: readonly { readonly kind: "agents" | "swarms"; readonly id: string; readonly label: string }[];
  /** Ids. Null: all. */
  readonly picked: readonly string[] | null;
  onPick(picked: readonly string[] | null): void;
}

const MAX_UNSEARCHED = 6;

/** What a key or a connected program is bound to. */
export function ResourcePicker({ choices, picked, onPick }: ResourcePickerProps) {
  const [search, setSearch] = useState("");
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
          {found.map(({ kind, id, label }) => (
            <Checkbox
              key={id}
              label={`${kind === "agents" ? "Agent" : "Swarm"} ${label}`}
              isChecked={picked.includes(id)}
              onChange={(isOn) => onPick(isOn ? [...picked, id] : picked.filter((other) => other !== id))}
            />
          ))}
        </div>
      )}
    </div>
  );
}
