import { clsx } from "clsx";
import { CircleAlert, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";

export interface BannerProps {
  readonly tone: "note" | "warning" | "bad";
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

const LOOKS = {
  note: { look: "bg-responding-soft text-responding", Icon: Info },
  warning: { look: "bg-thinking-soft text-thinking", Icon: TriangleAlert },
  bad: { look: "bg-bad-soft text-bad", Icon: CircleAlert },
} as const;

/** Says something about the page as a whole, for as long as it is so. */
export function Banner({ tone, children, action }: BannerProps) {
  const { look, Icon } = LOOKS[tone];
  return (
    <div
      role={tone === "bad" ? "alert" : "status"}
      className={clsx("flex items-center gap-3 rounded-md px-3.5 py-2.5", look)}
    >
      <Icon className="size-4.5 shrink-0" aria-hidden />
      <div className="min-w-0 flex-1 text-base text-pretty">{children}</div>
      {action}
    </div>
  );
}
