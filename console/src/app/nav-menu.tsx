import { ChevronRight } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useLocation } from "react-router";
import { getConfig } from "../data/client.ts";
import { useOperator } from "../data/operator.ts";
import { findNavItem, NAV_ITEMS, type NavItem } from "./nav-items.tsx";
import { Count, SideLink, type Waiting } from "./side-links.tsx";

const OperatorMenu = lazy(async () => ({ default: (await import("./operator-menu.tsx")).OperatorMenu }));
const OperatorSwitch = lazy(async () => ({ default: (await import("./operator-menu.tsx")).OperatorSwitch }));
const STORAGE_KEY = "swarmbase.closed-groups";

export interface NavMenuProps {
  /** Counters of the items, by path. */
  readonly waiting: ReadonlyMap<string, Waiting>;
  onGo?(): void;
}

/** What waits on pages whose items are not shown. */
export function sumWaiting(items: readonly NavItem[], waiting: NavMenuProps["waiting"]): Waiting | undefined {
  const count = items.reduce((sum, { to }) => sum + (waiting.get(to)?.count ?? 0), 0);
  return count === 0 ? undefined : { count, noun: "waiting" };
}

/** All pages in groups, or, on the pages of the operator, those. */
export function NavMenu({ waiting, onGo }: NavMenuProps) {
  const { pathname } = useLocation();
  const [closed, setClosed] = useState(() => (localStorage.getItem(STORAGE_KEY) ?? "").split(","));
  const isOperator = useOperator().rows?.isOperator;
  // The pages of a user are not shown first while the service is asked whether this one is an operator.
  const isOperatorView = getConfig().hasOperatorView && isOperator !== false && pathname.startsWith("/operator");
  const current = findNavItem(pathname);
  const toggle = (label: string): void => {
    const next = closed.includes(label) ? closed.filter((other) => other !== label) : [...closed, label];
    localStorage.setItem(STORAGE_KEY, next.join());
    setClosed(next);
  };
  const toLink = (item: NavItem) => (
    <SideLink key={item.to} item={item} isCurrent={item === current} waiting={waiting.get(item.to)} onGo={onGo} />
  );
  return (
    <>
      <nav aria-label="Main" className="min-h-0 flex-1 overflow-y-auto">
        {isOperatorView ? (
          <Suspense>
            <OperatorMenu path={pathname} onGo={onGo} />
          </Suspense>
        ) : (
          <>
            {[...Map.groupBy(NAV_ITEMS, ({ group }) => group)].map(([label, items]) => {
              if (label === undefined) return items.map(toLink);
              const isCurrent = current !== undefined && items.includes(current);
              const isOpen = isCurrent || !closed.includes(label);
              return (
                <div key={label} role="group" aria-label={label}>
                  <button
                    type="button"
                    aria-expanded={isOpen}
                    aria-disabled={isCurrent}
                    onClick={() => !isCurrent && toggle(label)}
                    className="mt-2 flex h-7 w-full items-center gap-1.5 rounded-md px-2.5 text-xs font-medium text-ink-faint -outline-offset-2 hover:text-ink"
                  >
                    <span className="flex-1 text-left">{label}</span>
                    {!isOpen && <Count waiting={sumWaiting(items, waiting)} />}
                    {!isCurrent && <ChevronRight aria-hidden className={`size-3.5 ${isOpen ? "rotate-90" : ""}`} />}
                  </button>
                  {isOpen && items.map(toLink)}
                </div>
              );
            })}
          </>
        )}
      </nav>
      <Suspense>{isOperator === true && <OperatorSwitch isOn={isOperatorView} />}</Suspense>
    </>
  );
}
