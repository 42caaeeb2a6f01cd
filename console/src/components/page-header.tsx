import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { usePageTitle } from "./page-title.ts";

interface Crumb {
  readonly label: string;
  readonly to: string;
}

interface PageHeaderProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** Breadcrumbs, the outermost first. */
  readonly crumbs?: readonly Crumb[];
  /** Before the title: an avatar or icon. */
  readonly lead?: ReactNode;
  /** After the title: a status. */
  readonly trailing?: ReactNode;
  /** Buttons, the main one last. */
  readonly actions?: ReactNode;
}

/** Renders the only h1 of a page and sets the title of the tab. */
export function PageHeader({ title, description, crumbs = [], lead, trailing, actions }: PageHeaderProps) {
  usePageTitle(title);
  return (
    <header className="mb-6 grid grid-cols-1 gap-2">
      {crumbs.length > 0 && (
        <nav aria-label="Breadcrumbs">
          <ol className="flex flex-wrap items-center gap-1 text-sm text-ink-faint">
            {crumbs.map((crumb, place) => (
              <li key={crumb.to} className="flex items-center gap-1">
                {place > 0 && <ChevronRight className="size-3.5" aria-hidden />}
                <Link to={crumb.to} className="rounded-sm wrap-anywhere hover:text-ink hover:underline">
                  {crumb.label}
                </Link>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="grid min-w-0 grid-cols-1 gap-1">
          <div className="flex min-w-0 flex-wrap items-center gap-3">
            {lead}
            <h1 tabIndex={-1} className="text-2xl font-semibold wrap-anywhere outline-none">
              {title}
            </h1>
            {trailing}
          </div>
          {description !== undefined && (
            <p className="max-w-2xl text-pretty wrap-anywhere text-ink-soft">{description}</p>
          )}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
    </header>
  );
}
