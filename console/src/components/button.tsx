import { clsx } from "clsx";
import { LoaderCircle } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";

export type ButtonVariant = "primary" | "plain" | "quiet" | "danger";
export type ButtonSize = "small" | "medium" | "large";

export interface ButtonProps extends ComponentProps<"button"> {
  readonly variant?: ButtonVariant;
  readonly size?: ButtonSize;
  /** Shown before the label. */
  readonly icon?: ReactNode;
  /** A request is in progress: the button keeps its width, shows a spinner and is disabled. */
  readonly isBusy?: boolean;
}

const VARIANTS: Readonly<Record<ButtonVariant, string>> = {
  primary: "bg-accent text-on-accent shadow-1 hover:bg-accent-strong",
  plain: "bg-raised text-ink border border-line-strong shadow-1 hover:bg-hover",
  quiet: "text-ink-soft hover:bg-hover hover:text-ink",
  danger: "bg-bad-strong text-on-bad shadow-1 hover:opacity-90",
};
const SIZES: Readonly<Record<ButtonSize, string>> = {
  small: "h-7 gap-1.5 px-2.5 text-sm rounded-sm",
  medium: "h-9 gap-2 px-3.5 text-base rounded-md",
  large: "h-11 gap-2 px-5 text-base rounded-md",
};

/** The classes of a button, for links that look like one. */
export function buttonStyle(variant: ButtonVariant = "plain", size: ButtonSize = "medium"): string {
  return clsx(
    "relative inline-flex shrink-0 select-none items-center justify-center whitespace-nowrap font-medium",
    "transition-colors disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0",
    VARIANTS[variant],
    SIZES[size],
  );
}

export function Button({ variant, size, icon, isBusy = false, children, className, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={clsx(buttonStyle(variant, size), className)}
      disabled={disabled === true || isBusy}
      aria-busy={isBusy || undefined}
    >
      {isBusy && <LoaderCircle className="animate-spin-slow" aria-hidden />}
      {!isBusy && icon}
      {children}
    </button>
  );
}
