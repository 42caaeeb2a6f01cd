import { clsx } from "clsx";
import { CircleAlert, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";

interface BannerProps {
  readonly tone: "note" | "warning" | "bad";
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

const STYLES = {
  note: { style: "bg-responding-soft text-responding", Icon: Info },
  warning: { style: "bg-thinking-soft text-thinking", Icon: TriangleAlert },
  bad: { style: "bg-bad-soft text-bad", Icon: CircleAlert },
} as const;

/** A message about the whole page, shown while it applies. */
export function Banner({ tone, children, action }: BannerProps) {
  const { style, Icon } = STYLES[tone];
  return (
    <div
      role={tone === "bad" ? "alert" : "status"}
      className={clsx("flex items-center gap-3 rounded-md px-3.5 py-2.5 [&_a]:text-inherit [&_a]:underline", style)}
    >
      <Icon className="size-4.5 shrink-0" aria-hidden />
      <div className="min-w-0 flex-1 text-base text-pretty">{children}</div>
      {action}
    </div>
  );
}
