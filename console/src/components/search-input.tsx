import { Search, X } from "lucide-react";
import { IconButton } from "./icon-button.tsx";
import { TextInput } from "./text-input.tsx";
import { typed } from "./typed.ts";

interface SearchInputProps {
  readonly label: string;
  readonly value: string;
  onChange(value: string): void;
}

export function SearchInput({ label, value, onChange }: SearchInputProps) {
  return (
    <div className="relative w-full sm:w-auto sm:max-w-72 sm:min-w-40 sm:flex-1">
      <Search className="pointer-events-none absolute top-2.5 left-3 size-4 text-ink-faint" aria-hidden />
      <TextInput
        type="search"
        aria-label={label}
        placeholder={label}
        {...typed(value, onChange)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && value !== "") {
            event.stopPropagation();
            onChange("");
          }
        }}
        className="pr-9 pl-9"
      />
      {value !== "" && (
        <IconButton
          label="Clear the search"
          icon={<X />}
          size="small"
          className="absolute top-1 right-1"
          onClick={() => onChange("")}
        />
      )}
    </div>
  );
}
