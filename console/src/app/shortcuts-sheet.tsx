import { useOfferedCommands } from "../components/commands.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Kbd } from "../components/kbd.tsx";
import { PALETTE_KEYS } from "./navigation.tsx";

/** Lists the keyboard shortcuts that work on the current page. */
export function ShortcutsSheet({ onClose }: { readonly onClose: () => void }) {
  const commands = useOfferedCommands().filter(({ keys }) => keys !== undefined);
  const groups = [...Map.groupBy(commands, ({ group }) => group)];
  return (
    <Dialog isOpen onClose={onClose} title="Keyboard shortcuts">
      <div className="grid gap-5">
        <Keys
          title="Anywhere"
          rows={[
            { label: "Commands", keys: PALETTE_KEYS },
            { label: "Keyboard shortcuts", keys: "?" },
            { label: "Close the dialog", keys: "Esc" },
          ]}
        />
        {groups.map(([group, members]) => (
          <Keys key={group} title={group} rows={members.map(({ label, keys = "" }) => ({ label, keys }))} />
        ))}
      </div>
    </Dialog>
  );
}

interface KeysProps {
  readonly title: string;
  readonly rows: readonly { readonly label: string; readonly keys: string }[];
}

function Keys({ title, rows }: KeysProps) {
  return (
    <section className="grid gap-1">
      <h3 className="text-xs font-medium text-ink-faint">{title}</h3>
      <dl className="grid gap-x-8 sm:grid-cols-2">
        {rows.map(({ label, keys }) => (
          <div key={label} className="flex items-center justify-between border-b border-line py-1.5">
            <dt>{label}</dt>
            <dd>
              <Kbd keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
