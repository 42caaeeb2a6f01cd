import type { ChangeEvent } from "react";

/** The text of a control, and what gets a text that is typed into it. */
export function typed(value: string | null, onType: (text: string) => void) {
  return {
    value: value ?? "",
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => onType(target.value),
  };
}
