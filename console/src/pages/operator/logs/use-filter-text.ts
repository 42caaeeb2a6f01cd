import { useEffect, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import type { Filters } from "../../../components/use-filters.ts";
import { useDebounced } from "../../../components/use-debounced.ts";

export interface FilterText {
  /** The text in the field. */
  readonly text: string;
  /** The text to filter by, once the user pauses. */
  readonly debounced: string;
  setText(text: string): void;
}

/** A text filter in the address. The field has its own state, because the router updates the address later than the next key press. */
export function useFilterText(filters: Filters, name: string): FilterText {
  const [address] = useSearchParams();
  const inAddress = address.get(name) ?? "";
  const [text, setText] = useState(inAddress);
  const debounced = useDebounced(text);
  const written = useRef(inAddress);
  useEffect(() => {
    if (inAddress === written.current) return;
    written.current = inAddress;
    setText(inAddress);
  }, [inAddress]);
  useEffect(() => {
    if (debounced === written.current) return;
    written.current = debounced;
    filters.set(name, debounced);
    // Runs when the debounced text changes, not when the address does.
  }, [debounced]);
  return { text, debounced: debounced.trim(), setText };
}
