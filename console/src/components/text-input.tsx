import { clsx } from "clsx";
import type { ComponentProps } from "react";
import { useFieldLinks } from "./field.tsx";

/** The classes of all text inputs. */
export const INPUT_STYLE = clsx(
  "w-full min-w-0 rounded-md border border-field-line bg-surface px-3 text-base text-ink shadow-1 transition-colors",
  "placeholder:text-ink-faint hover:border-ink-faint focus-visible:outline-offset-0",
  "disabled:bg-sunken disabled:text-ink-faint aria-invalid:border-bad",
);

export function TextInput({ className, ...rest }: ComponentProps<"input">) {
  return <input type="text" {...useFieldLinks()} {...rest} className={clsx(INPUT_STYLE, "h-9", className)} />;
}
