import { clsx } from "clsx";
import { X } from "lucide-react";
import { Dialog as Primitive } from "radix-ui";
import type { ReactNode } from "react";
import { IconButton } from "./icon-button.tsx";

/** Focuses the first field, or else the surface itself, but never the close button. */
function focusInside(event: Event): void {
  if (!(event.currentTarget instanceof HTMLElement)) return;
  event.preventDefault();
  const field = event.currentTarget.querySelector<HTMLElement>("input, select, textarea, [data-autofocus]");
  (field ?? event.currentTarget).focus();
}

export interface DialogProps {
  readonly isOpen: boolean;
  onClose(): void;
  readonly title: string;
  /** One sentence below the title, which screen readers announce. */
  readonly description?: ReactNode;
  readonly children: ReactNode;
  /** Buttons, the main one last. */
  readonly footer?: ReactNode;
  readonly size?: "small" | "medium" | "large";
}

const WIDTHS = { small: "sm:max-w-md", medium: "sm:max-w-xl", large: "sm:max-w-3xl" } as const;

/** Centred on wide screens, attached to the bottom of narrow ones. Traps the focus and restores it. */
export function Dialog({ size = "medium", ...surface }: DialogProps) {
  return (
    <Surface
      {...surface}
      className={clsx(
        "inset-x-0 bottom-0 max-h-[92dvh] animate-rise rounded-t-xl border",
        "sm:inset-auto sm:top-1/2 sm:left-1/2 sm:max-h-[85dvh] sm:-translate-x-1/2 sm:-translate-y-1/2 sm:rounded-xl",
        WIDTHS[size],
      )}
    />
  );
}

/** What dialogs and drawers have in common. */
export function Surface(props: Omit<DialogProps, "size"> & { readonly className: string }) {
  const { isOpen, onClose, title, description, children, footer, className } = props;
  return (
    <Primitive.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Primitive.Portal>
        <Primitive.Overlay className="fixed inset-0 z-40 animate-fade bg-shade" />
        <Primitive.Content
          onOpenAutoFocus={focusInside}
          {...(description === undefined && { "aria-describedby": undefined })}
          className={clsx("fixed z-50 flex w-full flex-col border-line bg-raised shadow-3 outline-none", className)}
        >
          <SurfaceHead title={title} description={description} />
          <div className="min-h-0 flex-1 overflow-y-auto px-5 pb-5">{children}</div>
          {footer !== undefined && <SurfaceFoot>{footer}</SurfaceFoot>}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

function SurfaceHead({ title, description }: { readonly title: string; readonly description?: ReactNode }) {
  return (
    <div className="flex items-start gap-3 px-5 pt-4 pb-4">
      <div className="grid min-w-0 flex-1 gap-1 pt-1">
        <Primitive.Title className="text-lg font-semibold wrap-anywhere">{title}</Primitive.Title>
        {description !== undefined && (
          <Primitive.Description className="text-base wrap-anywhere text-ink-soft">{description}</Primitive.Description>
        )}
      </div>
      <Primitive.Close asChild>
        <IconButton label="Close" icon={<X />} className="-mr-2" />
      </Primitive.Close>
    </div>
  );
}

function SurfaceFoot({ children }: { readonly children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-5 py-3 pb-[max(0.75rem,env(safe-area-inset-bottom))]">
      {children}
    </div>
  );
}
