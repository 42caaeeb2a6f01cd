/** A keyboard shortcut: "Ctrl K", "g a". */
export function Kbd({ keys }: { readonly keys: string }) {
  return (
    <span className="inline-flex gap-1">
      {keys.split(" ").map((key, index) => (
        <kbd
          key={`${key}${index}`}
          className="inline-flex h-5 min-w-5 items-center justify-center rounded-[5px] border border-line-strong bg-sunken px-1.5 font-sans text-2xs font-medium text-ink-soft"
        >
          {key}
        </kbd>
      ))}
    </span>
  );
}
