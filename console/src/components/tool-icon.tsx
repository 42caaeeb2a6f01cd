import { clsx } from "clsx";
import { Braces, Calculator, Clock, Globe, Plug, Search, Wrench } from "lucide-react";
import type { ReactNode } from "react";

interface ToolIconProps {
  readonly tool: { readonly name: string; readonly kind: string; readonly icon: string | null };
  readonly size?: "small" | "medium" | "large";
}

const SIZES = {
  small: "size-7 text-base [&_svg]:size-3.5",
  medium: "size-9 text-lg [&_svg]:size-4.5",
  large: "size-12 text-2xl [&_svg]:size-6",
} as const;
const BY_NAME: Readonly<Record<string, ReactNode>> = {
  current_time: <Clock />,
  calculator: <Calculator />,
  json_query: <Braces />,
  http_get: <Globe />,
  search_messages: <Search />,
};
const BY_KIND: Readonly<Record<string, ReactNode>> = {
  http: <Globe />,
  mcp: <Plug />,
  rpc: <Braces />,
  function: <Braces />,
};
/** An emoji can have several code units; a longer text is a URL or the name of an icon. */
const MAX_EMOJI_LENGTH = 8;

/** The emoji of the tool, or else an icon for its kind. Images are not loaded. */
export function ToolIcon({ tool, size = "medium" }: ToolIconProps) {
  const { name, kind, icon } = tool;
  const isEmoji = icon !== null && icon.length > 0 && icon.length <= MAX_EMOJI_LENGTH && !/^[\w:/.-]+$/.test(icon);
  const drawn = kind === "builtin" ? (BY_NAME[name] ?? <Wrench />) : (BY_KIND[kind] ?? <Wrench />);
  return (
    <span
      aria-hidden
      className={clsx(
        "inline-flex shrink-0 items-center justify-center rounded-md bg-accent-soft text-accent",
        SIZES[size],
      )}
    >
      {isEmoji ? icon : drawn}
    </span>
  );
}
