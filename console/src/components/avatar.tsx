import { clsx } from "clsx";

interface AvatarProps {
  readonly name: string;
  /** Determines the colour, which stays the same when the name changes. */
  readonly seed?: string;
  readonly size?: "small" | "medium" | "large";
  /** Avatars of people are round. */
  readonly shape?: "person" | "agent";
}

const SIZES = { small: "size-6 text-2xs", medium: "size-9 text-sm", large: "size-12 text-lg" } as const;
const HUES = 12;

/** Initials on a colour derived from the seed. Images are not loaded: the page makes no requests to other origins. */
export function Avatar({ name, seed = name, size = "medium", shape = "person" }: AvatarProps) {
  const hue = (hashOf(seed) % HUES) * (360 / HUES);
  return (
    <span
      aria-hidden
      className={clsx(
        "inline-flex shrink-0 items-center justify-center font-semibold select-none",
        SIZES[size],
        shape === "person" ? "rounded-full" : "rounded-[30%]",
      )}
      style={{
        backgroundColor: `light-dark(oklch(0.93 0.045 ${hue}), oklch(0.32 0.06 ${hue}))`,
        color: `light-dark(oklch(0.4 0.11 ${hue}), oklch(0.88 0.07 ${hue}))`,
      }}
    >
      {initialsOf(name)}
    </span>
  );
}

function initialsOf(name: string): string {
  const words = name
    .trim()
    .split(/[\s._@-]+/)
    .filter((word) => word !== "");
  const letters = words.slice(0, 2).map((word) => String.fromCodePoint(word.codePointAt(0) ?? 0));
  return letters.join("").toUpperCase() || "?";
}

function hashOf(text: string): number {
  let hash = 0;
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash;
}
