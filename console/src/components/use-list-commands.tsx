import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import { useNavigate } from "react-router";
import { type Command, useCommands } from "./commands.tsx";

/** Keeps the palette readable. */
const MAX_ROWS = 30;

interface NamedRow {
  readonly id: string;
  readonly name: string;
  readonly role?: string | null;
}

export interface ListCommandsOptions {
  /** "agents": the first segment of the paths, and of the ids of the commands. */
  readonly path: string;
  /** "New agent" */
  readonly newLabel: string;
  readonly group: string;
  readonly icon: ReactNode;
  readonly rows: readonly NamedRow[] | undefined;
  readonly more?: readonly (Omit<Command, "group" | "run"> & { readonly to: string })[];
}

/** Registers the commands of a list: create a row, open a listed row. */
export function useListCommands({ path, newLabel, group, icon, rows, more = [] }: ListCommandsOptions): void {
  const navigate = useNavigate();
  const open = (to: string) => () => void navigate(to);
  useCommands([
    { id: `${path}.new`, label: newLabel, group, icon: <Plus />, keys: "n", run: open(`/${path}/new`) },
    ...more.map(({ to, ...command }) => ({ ...command, group, run: open(to) })),
    ...(rows ?? []).slice(0, MAX_ROWS).map(({ id, name, role }) => ({
      id: `${path}.open.${id}`,
      label: `Open ${name}`,
      group,
      icon,
      keywords: typeof role === "string" ? [role] : [],
      run: open(`/${path}/${id}`),
    })),
  ]);
}
