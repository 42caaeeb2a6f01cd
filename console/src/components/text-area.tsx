import { clsx } from "clsx";
import type { ComponentProps } from "react";
import { useFieldLinks } from "./field.tsx";
import { INPUT_STYLE } from "./text-input.tsx";

export interface TextAreaProps extends ComponentProps<"textarea"> {
  readonly isCode?: boolean;
}

/** Grows with its text if the browser supports it. */
export function TextArea({ className, isCode = false, rows = 3, ...rest }: TextAreaProps) {
  return (
    <textarea
      {...useFieldLinks()}
      rows={rows}
      spellCheck={!isCode}
      dir={isCode ? "ltr" : "auto"}
      {...rest}
      className={clsx(
        INPUT_STYLE,
        "field-sizing-content max-h-96 resize-y py-2",
        isCode && "font-mono text-sm",
        className,
      )}
    />
  );
}
