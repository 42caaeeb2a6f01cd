import { clsx } from "clsx";
import { Dialog as Primitive } from "radix-ui";
import type { ReactNode } from "react";
import { focusInside, SurfaceFoot, SurfaceHead } from "./dialog.tsx";

export interface DrawerProps {
  readonly isOpen: boolean;
  onClose(): void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  readonly size?: "medium" | "large";
}

/** A panel at the right edge, full width on phones. Shows one row while its list stays in place. */
export function Drawer({ isOpen, onClose, title, description, children, footer, size = "medium" }: DrawerProps) {
  return (
    <Primitive.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Primitive.Portal>
        <Primitive.Overlay className="fixed inset-0 z-40 animate-fade bg-shade" />
        <Primitive.Content
          onOpenAutoFocus={focusInside}
          {...(description === undefined && { "aria-describedby": undefined })}
          className={clsx(
            "fixed inset-y-0 right-0 z-50 flex w-full animate-slide-left flex-col border-l border-line bg-raised shadow-3 outline-none",
            size === "large" ? "sm:max-w-3xl" : "sm:max-w-xl",
          )}
        >
          <SurfaceHead title={title} description={description} />
          <div className="min-h-0 flex-1 overflow-y-auto px-5 pb-6">{children}</div>
          {footer !== undefined && <SurfaceFoot>{footer}</SurfaceFoot>}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
