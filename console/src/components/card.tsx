import { clsx } from "clsx";
import type { ReactNode } from "react";
import { Link } from "react-router";

interface CardProps {
  readonly children: ReactNode;
  readonly className?: string;
}

export function Card({ children, className }: CardProps) {
  return (
    <div className={clsx("min-w-0 rounded-lg border border-line bg-surface p-4 shadow-1", className)}>{children}</div>
  );
}

interface CardSectionProps extends CardProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly action?: ReactNode;
}

/** A card with a heading: a group of settings, a chart. */
export function CardSection({ title, description, action, children, className }: CardSectionProps) {
  return (
    <section className={clsx("min-w-0 rounded-lg border border-line bg-surface shadow-1", className)}>
      <div className="flex items-start justify-between gap-3 px-4 pt-3.5 sm:px-5 sm:pt-4">
        <div className="grid min-w-0 gap-0.5">
          <h2 className="text-lg font-semibold wrap-anywhere">{title}</h2>
          {description !== undefined && <p className="text-base wrap-anywhere text-ink-soft">{description}</p>}
        </div>
        {action}
      </div>
      <div className="p-4 sm:p-5 sm:pt-4">{children}</div>
    </section>
  );
}

/** A card that is a link as a whole. Buttons inside need `relative z-10` to be clickable. */
export function CardLink({
  to,
  label,
  children,
  className,
}: CardProps & { readonly to: string; readonly label: string }) {
  return (
    <div
      className={clsx(
        "relative min-w-0 rounded-lg border border-line bg-surface p-4 shadow-1 transition-colors hover:border-line-strong hover:bg-hover",
        className,
      )}
    >
      <Link to={to} aria-label={label} className="absolute inset-0 rounded-lg" />
      {children}
    </div>
  );
}
