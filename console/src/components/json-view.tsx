import { CopyButton } from "./copy-button.tsx";

interface JsonViewProps {
  readonly label: string;
  readonly value: unknown;
  /** The number of levels that are expanded initially. */
  readonly depth?: number;
}

const MAX_SHOWN = 200;

/** A JSON value whose objects and arrays can be expanded. */
export function JsonView({ label, value, depth = 2 }: JsonViewProps) {
  return (
    <figure dir="ltr" className="min-w-0 overflow-hidden rounded-md border border-line bg-sunken">
      <figcaption className="flex h-9 items-center justify-between border-b border-line pr-1 pl-3 text-xs font-medium text-ink-faint">
        {label}
        <CopyButton text={JSON.stringify(value, null, 2) ?? "null"} label={`Copy: ${label}`} />
      </figcaption>
      <div
        // Scrollable regions must be focusable by keyboard.
        tabIndex={0}
        role="group"
        aria-label={label}
        className="max-h-96 overflow-auto p-3 font-mono text-sm -outline-offset-2"
      >
        <Value value={parseText(value)} depth={depth} />
      </div>
    </figure>
  );
}

/** Tools often return JSON as a text. */
function parseText(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

interface ValueProps {
  readonly value: unknown;
  readonly depth: number;
  /** The key of an object's member. */
  readonly name?: string;
}

function Value({ value, depth, name }: ValueProps) {
  const label = name !== undefined && <span className="text-ink-soft">{name}: </span>;
  const members = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (members.length === 0)
    return (
      <div className="pl-4">
        {label}
        <Simple value={value} />
      </div>
    );
  const isList = Array.isArray(value);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  return (
    <details open={depth > 0} className="[&[open]>summary>.sum]:hidden">
      <summary className="w-fit cursor-pointer rounded-sm py-0.5 text-ink-soft marker:text-ink-faint">
        {label}
        {open}
        <span className="sum text-ink-faint">
          {" "}
          {members.length} {isList ? "items" : "keys"} {close}
        </span>
      </summary>
      <ul className="ml-1.5 border-l border-line pl-2.5">
        {members.slice(0, MAX_SHOWN).map(([key, member]) => (
          <li key={key}>
            <Value value={member} depth={depth - 1} {...(!isList && { name: key })} />
          </li>
        ))}
        {members.length > MAX_SHOWN && <li className="pl-4 text-ink-faint">… {members.length - MAX_SHOWN} more</li>}
      </ul>
      <span className="pl-4 text-ink-soft">{close}</span>
    </details>
  );
}

/** A scalar, or an empty object or array. */
function Simple({ value }: { readonly value: unknown }) {
  if (typeof value === "string") return <span className="whitespace-pre-wrap wrap-anywhere text-good">"{value}"</span>;
  if (typeof value === "number") return <span className="text-responding">{value}</span>;
  if (typeof value === "object" && value !== null)
    return <span className="text-ink-soft">{Array.isArray(value) ? "[]" : "{}"}</span>;
  return <span className="text-thinking">{String(value)}</span>;
}
