import { clsx } from "clsx";
import { useEffect, useRef } from "react";
import { NavLink } from "react-router";

const SECTIONS = [
  { to: "/operator/users", label: "Users" },
  { to: "/operator/tables", label: "Tables" },
  { to: "/operator/logs", label: "Logs" },
  { to: "/operator/metrics", label: "Metrics" },
  { to: "/operator/nodes", label: "Nodes" },
  { to: "/operator/services", label: "Services" },
  { to: "/operator/programs", label: "Programs" },
  { to: "/operator/settings", label: "Settings" },
  { to: "/operator/audit", label: "Audit log" },
] as const;

/** The pages of the operator view. */
export function Sections() {
  const list = useRef<HTMLElement>(null);
  // The links scroll horizontally on a narrow screen. Each page has its own list.
  useEffect(() => {
    list.current?.querySelector("[aria-current=page]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, []);
  return (
    <nav ref={list} aria-label="Operator" className="mb-5 flex gap-1 overflow-x-auto border-b border-line">
      {SECTIONS.map(({ to, label }) => (
        <NavLink
          key={to}
          to={to}
          className={({ isActive }) =>
            clsx(
              "-mb-px flex h-10 shrink-0 items-center border-b-2 px-3 text-base font-medium -outline-offset-2 hover:text-ink",
              isActive ? "border-accent text-ink" : "border-transparent text-ink-soft",
            )
          }
        >
          {label}
        </NavLink>
      ))}
    </nav>
  );
}
