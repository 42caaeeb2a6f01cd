import { Command as Menu } from "cmdk";
import { Search } from "lucide-react";
import { Dialog } from "radix-ui";
import { useOfferedCommands } from "../components/commands.tsx";
import { Kbd } from "../components/kbd.tsx";

/** Lists the available commands and filters them by the typed text. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const commands = useOfferedCommands();
  const groups = [...Map.groupBy(commands, ({ group }) => group)];
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-fade bg-shade" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-x-3 top-[12dvh] z-50 mx-auto max-w-xl animate-rise overflow-hidden rounded-xl border border-line bg-raised shadow-3 outline-none"
        >
          <Dialog.Title className="sr-only">Commands</Dialog.Title>
          <Menu label="Commands" loop>
            <div className="flex items-center gap-3 border-b border-line px-4">
              <Search className="size-4.5 shrink-0 text-ink-faint" aria-hidden />
              <Menu.Input
                autoFocus
                placeholder="Search pages and commands"
                className="h-13 w-full bg-transparent text-lg outline-none placeholder:text-ink-faint"
              />
              <Kbd keys="Esc" />
            </div>
            <Menu.List label="Commands" className="max-h-[52dvh] overflow-y-auto p-2">
              <Menu.Empty className="px-3 py-10 text-center text-ink-faint">Nothing matches.</Menu.Empty>
              {groups.map(([group, members]) => (
                <Menu.Group
                  key={group}
                  heading={group}
                  className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-ink-faint"
                >
                  {members.map(({ id, label, icon, keys, keywords, run }) => (
                    <Menu.Item
                      key={id}
                      value={id}
                      keywords={[label, group, ...(keywords ?? [])]}
                      onSelect={() => {
                        onClose();
                        run();
                      }}
                      className="flex h-10 cursor-default items-center gap-3 rounded-md px-2.5 text-base select-none data-[selected=true]:bg-accent-soft data-[selected=true]:text-accent [&>svg]:size-4.5"
                    >
                      {icon}
                      <span className="flex-1 truncate">{label}</span>
                      {keys !== undefined && <Kbd keys={keys} />}
                    </Menu.Item>
                  ))}
                </Menu.Group>
              ))}
            </Menu.List>
          </Menu>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
