import { clsx } from "clsx";
import { type DialogProps, Surface } from "./dialog.tsx";

interface DrawerProps extends Omit<DialogProps, "size"> {
  readonly size?: "medium" | "large";
}

/** A panel at the right edge, full width on phones. Shows one row while its list stays in place. */
export function Drawer({ size = "medium", ...surface }: DrawerProps) {
  const width = size === "large" ? "sm:max-w-3xl" : "sm:max-w-xl";
  return <Surface {...surface} className={clsx("inset-y-0 right-0 animate-slide-left border-l", width)} />;
}
