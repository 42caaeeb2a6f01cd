import { clsx } from "clsx";
import type { ReactNode } from "react";
import { Link as RouterLink } from "react-router";
import { type ButtonSize, type ButtonVariant, buttonStyle } from "./button.tsx";

interface LinkProps {
  /** A path inside the console. */
  readonly to: string;
  readonly children: ReactNode;
  readonly className?: string;
}

const STYLE = "font-medium text-accent underline-offset-3 hover:underline";

export function Link({ to, children, className }: LinkProps) {
  return (
    <RouterLink to={to} className={clsx(STYLE, className)}>
      {children}
    </RouterLink>
  );
}

interface ButtonLinkProps extends LinkProps {
  readonly variant?: ButtonVariant;
  readonly size?: ButtonSize;
  readonly icon?: ReactNode;
  /** For the page that it leads to, without a place in the address. */
  readonly state?: unknown;
}

/** A link that looks like a button. */
export function ButtonLink({ to, children, className, variant, size, icon, state }: ButtonLinkProps) {
  return (
    <RouterLink to={to} state={state} className={clsx(buttonStyle(variant, size), className)}>
      {icon}
      {children}
    </RouterLink>
  );
}
