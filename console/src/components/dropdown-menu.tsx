import { clsx } from "clsx";
import { DropdownMenu as Primitive } from "radix-ui";
import type { ReactNode } from "react";

export interface MenuItem {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  onSelect(): void;
}

interface DropdownMenuProps {
  /** A single button. */
  readonly trigger: ReactNode;
  /** Groups are separated by a line. */
  readonly groups: readonly (readonly MenuItem[])[];
  readonly side?: "top" | "bottom";
  readonly align?: "start" | "end";
  readonly isOpenAtFirst?: boolean;
  /** For a menu that something else opens, too. */
  readonly isOpen?: boolean;
  onOpenChange?(isOpen: boolean): void;
}

export function DropdownMenu(props: DropdownMenuProps) {
  const { trigger, groups, side = "bottom", align = "end", isOpenAtFirst = false, isOpen, onOpenChange } = props;
  return (
    // Not modal: the page behind an open menu stays usable.
    <Primitive.Root
      modal={false}
      defaultOpen={isOpenAtFirst}
      {...(isOpen !== undefined && { open: isOpen })}
      {...(onOpenChange !== undefined && { onOpenChange })}
    >
      <Primitive.Trigger asChild>{trigger}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          side={side}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 min-w-48 animate-rise rounded-lg border border-line bg-raised p-1 shadow-2"
        >
          {groups.map((group, index) => (
            <Primitive.Group key={group.map(({ label }) => label).join()}>
              {index > 0 && <Primitive.Separator className="my-1 h-px bg-line" />}
              {group.map((item) => (
                <Primitive.Item
                  key={item.label}
                  disabled={item.isDisabled === true}
                  onSelect={item.onSelect}
                  className={clsx(
                    "flex h-9 cursor-default items-center gap-2.5 rounded-md px-2.5 text-base outline-none select-none data-disabled:opacity-50 data-highlighted:bg-hover [&_svg]:size-4",
                    item.isDangerous === true ? "text-bad" : "text-ink [&_svg]:text-ink-faint",
                  )}
                >
                  {item.icon}
                  {item.label}
                </Primitive.Item>
              ))}
            </Primitive.Group>
          ))}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
