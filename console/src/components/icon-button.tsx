import { clsx } from "clsx";
import type { ComponentProps, ReactNode } from "react";
import { Tooltip } from "./tooltip.tsx";

interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  /** The accessible name, also shown as a tooltip. */
  readonly label: string;
  readonly icon: ReactNode;
  readonly size?: "small" | "medium";
}

export function IconButton({ label, icon, size = "medium", className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        aria-label={label}
        {...rest}
        className={clsx(
          "inline-flex shrink-0 items-center justify-center rounded-md text-ink-soft transition-colors",
          "hover:bg-hover hover:text-ink disabled:opacity-50 aria-pressed:bg-accent-soft aria-pressed:text-accent [&_svg]:size-4",
          size === "small" ? "size-7" : "size-9",
          className,
        )}
      >
        {icon}
      </button>
    </Tooltip>
  );
}
