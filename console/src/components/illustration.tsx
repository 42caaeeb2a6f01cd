import type { ReactNode } from "react";

const LINE = { stroke: "var(--line-strong)", strokeWidth: 1.5, fill: "var(--surface)" } as const;
const ACCENT = { fill: "var(--accent)" } as const;
const FAINT = { fill: "var(--accent-soft)", stroke: "var(--accent)", strokeWidth: 1.5 } as const;

const PICTURES = {
  agents: (
    <>
      <rect x="34" y="22" width="52" height="44" rx="14" {...LINE} />
      <circle cx="51" cy="42" r="4" {...ACCENT} />
      <circle cx="69" cy="42" r="4" {...ACCENT} />
      <path
        d="M52 54c5 4 11 4 16 0M60 22v-9"
        stroke="var(--accent)"
        strokeWidth="2"
        fill="none"
        strokeLinecap="round"
      />
      <circle cx="60" cy="10" r="3.5" {...FAINT} />
    </>
  ),
  swarms: (
    <>
      <path d="M60 30 32 58M60 30l28 28M32 58h56" {...LINE} fill="none" />
      <circle cx="60" cy="26" r="13" {...FAINT} />
      <circle cx="30" cy="60" r="11" {...LINE} />
      <circle cx="90" cy="60" r="11" {...LINE} />
      <circle cx="60" cy="26" r="4" {...ACCENT} />
    </>
  ),
  tools: (
    <>
      <rect x="26" y="20" width="68" height="48" rx="10" {...LINE} />
      <path d="m44 36 8 8-8 8M58 52h16" stroke="var(--accent)" strokeWidth="2.5" fill="none" strokeLinecap="round" />
    </>
  ),
  webhooks: (
    <>
      <rect x="16" y="30" width="32" height="28" rx="8" {...LINE} />
      <rect x="72" y="30" width="32" height="28" rx="8" {...FAINT} />
      <path d="M50 44h16m-5-5 6 5-6 5" stroke="var(--accent)" strokeWidth="2" fill="none" strokeLinecap="round" />
      <circle cx="88" cy="44" r="4" {...ACCENT} />
    </>
  ),
  events: (
    <>
      <path
        d="M18 46h18l8-20 12 38 10-28 6 10h30"
        stroke="var(--accent)"
        strokeWidth="2.5"
        fill="none"
        strokeLinejoin="round"
      />
      <path d="M18 68h84" {...LINE} />
    </>
  ),
  usage: (
    <>
      <path d="M20 70h80" {...LINE} />
      <rect x="28" y="48" width="14" height="22" rx="4" {...LINE} />
      <rect x="53" y="34" width="14" height="36" rx="4" {...FAINT} />
      <rect x="78" y="20" width="14" height="50" rx="4" {...LINE} />
    </>
  ),
  search: (
    <>
      <circle cx="56" cy="38" r="19" {...LINE} />
      <path d="m70 52 14 14" stroke="var(--accent)" strokeWidth="3" strokeLinecap="round" />
      <path d="M48 38h16" stroke="var(--accent)" strokeWidth="2" strokeLinecap="round" />
    </>
  ),
  lost: (
    <>
      <circle cx="60" cy="42" r="26" {...LINE} />
      <path d="m50 52 6-16 16-6-6 16z" {...FAINT} />
      <circle cx="61" cy="41" r="2.5" {...ACCENT} />
    </>
  ),
  mail: (
    <>
      <rect x="26" y="22" width="68" height="46" rx="9" {...LINE} />
      <path d="m30 28 30 22 30-22" stroke="var(--accent)" strokeWidth="2" fill="none" strokeLinejoin="round" />
    </>
  ),
} as const satisfies Record<string, ReactNode>;

export type IllustrationName = keyof typeof PICTURES;

/** A small decorative picture in the colours of the theme. */
export function Illustration({ name }: { readonly name: IllustrationName }) {
  return (
    <svg viewBox="0 0 120 84" width="120" height="84" aria-hidden="true">
      {PICTURES[name]}
    </svg>
  );
}
