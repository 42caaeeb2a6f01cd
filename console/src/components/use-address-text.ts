import { useEffect, useRef, useState } from "react";
import type { Address } from "./use-address.ts";
import { useDebounced } from "./use-debounced.ts";

interface AddressText {
  /** The text in the field. */
  readonly text: string;
  /** The text to search for, once the user pauses. */
  readonly debounced: string;
  setText(text: string): void;
}

/** A text field in the address. It has its own state, because the router updates the address later than the next key press. */
export function useAddressText({ address, change }: Pick<Address, "address" | "change">, name: string): AddressText {
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
    change({ [name]: debounced });
    // Runs when the debounced text changes, not when the address does.
  }, [debounced]);
  return { text, debounced, setText };
}
