import { Copy, Ellipsis, Save, SlidersHorizontal, Square, X } from "lucide-react";
import { useState } from "react";
import type { Choices, Named } from "../../../data/choices.ts";
import { changeColumn, setColumns } from "../../../data/playground.ts";
import {
  type AgentValues,
  type Column,
  type ColumnChanges,
  copyColumn,
  MAX_COLUMNS,
} from "../../../data/playground-state.ts";
import { nameProvider } from "../../../data/providers.ts";
import { Button } from "../../../components/button.tsx";
import { DropdownMenu } from "../../../components/dropdown-menu.tsx";
import { IconButton } from "../../../components/icon-button.tsx";
import { Picker } from "../../../components/picker.tsx";
import { Select } from "../../../components/select.tsx";
import { ColumnDrawer } from "./column-drawer.tsx";
import type { ColumnState } from "./column-state.ts";
import { applyChanges, listChanges } from "./column-values.ts";
import { SaveVersion } from "./save-version.tsx";

const CURRENT = "";

export interface ColumnHeadProps {
  readonly letter: string;
  readonly column: Column;
  readonly columns: readonly Column[];
  readonly state: ColumnState;
  readonly choices: Choices<Named>;
  readonly isBusy: boolean;
  onStop(): void;
}

/** Which agent and version answers in the column, and what the column changes. */
export function ColumnHead({ letter, column, columns, state, choices, isBusy, onStop }: ColumnHeadProps) {
  const [opened, setOpened] = useState<"settings" | "save" | null>(null);
  const { id, agentId, version, changes } = column;
  const { rows: agents = [], search } = choices;
  const isKnown = agents.some((agent) => agent.id === agentId);
  const ready = state.kind === "ready" ? state : null;
  const numbers = ready?.agent.agent_versions ?? (version === null ? [] : [{ number: version }]);
  const close = () => setOpened(null);
  return (
    <div className="grid grid-cols-1 gap-2.5 border-b border-line bg-sunken p-3">
      <div className="flex min-w-0 items-center gap-2">
        <h2 className="grid size-7 shrink-0 place-items-center rounded-md bg-accent-soft font-semibold text-accent">
          <span className="sr-only">Column </span>
          {letter}
        </h2>
        <Picker
          label={`Agent of column ${letter}`}
          className="flex-1"
          value={agentId}
          choices={[
            ...(isKnown ? [] : [{ value: agentId, label: "Deleted agent", isDisabled: true }]),
            ...agents.map(({ id: value, name: label }) => ({ value, label })),
          ]}
          onChange={(chosen) => changeColumn(id, { agentId: chosen, version: null, changes: {} })}
          onSearch={search}
        />
        <ColumnMenu {...{ letter, column, columns }} onSave={ready === null ? null : () => setOpened("save")} />
      </div>
      <div className="flex min-w-0 items-center gap-2">
        <Select
          aria-label={`Version of column ${letter}`}
          size="small"
          className="w-36 shrink-0"
          value={version === null ? CURRENT : String(version)}
          choices={[
            { value: CURRENT, label: "As it is now" },
            ...numbers.map(({ number }) => ({ value: String(number), label: `Version ${number}` })),
          ]}
          onChange={(chosen) => changeColumn(id, { version: chosen === CURRENT ? null : Number(chosen) })}
        />
        <Button
          size="small"
          icon={<SlidersHorizontal />}
          disabled={ready === null}
          aria-label={`Change column ${letter}`}
          onClick={() => setOpened("settings")}
        >
          Change
        </Button>
        {isBusy && (
          <Button
            size="small"
            className="ml-auto"
            icon={<Square className="size-3! fill-current" />}
            aria-label={`Stop column ${letter}`}
            onClick={onStop}
          >
            Stop
          </Button>
        )}
      </div>
      {ready !== null && (
        <>
          <Summary base={ready.base} changes={changes} />
          {opened === "settings" && <ColumnDrawer letter={letter} column={column} {...ready} onClose={close} />}
          {opened === "save" && <SaveVersion column={column} {...ready} onClose={close} />}
        </>
      )}
    </div>
  );
}

interface ColumnMenuProps extends Pick<ColumnHeadProps, "letter" | "column" | "columns"> {
  /** Null means that the column cannot be saved. */
  readonly onSave: (() => void) | null;
}

function ColumnMenu({ letter, column, columns, onSave }: ColumnMenuProps) {
  const copy = () => setColumns(columns.flatMap((other) => (other === column ? [other, copyColumn(other)] : [other])));
  const remove = () => setColumns(columns.filter((other) => other !== column));
  return (
    <DropdownMenu
      trigger={<IconButton label={`More about column ${letter}`} icon={<Ellipsis />} />}
      groups={[
        [
          { label: "Save as a version …", icon: <Save />, isDisabled: onSave === null, onSelect: () => onSave?.() },
          { label: "Duplicate column", icon: <Copy />, isDisabled: columns.length >= MAX_COLUMNS, onSelect: copy },
        ],
        [{ label: "Remove column", icon: <X />, isDisabled: columns.length === 1, onSelect: remove }],
      ]}
    />
  );
}

interface SummaryProps {
  readonly base: AgentValues;
  readonly changes: ColumnChanges;
}

/** The model, and what differs from the agent or version. */
function Summary({ base, changes }: SummaryProps) {
  const { framework, model } = applyChanges(base, changes);
  const changed = listChanges(base, changes);
  const parts = [
    `${nameProvider(framework)}, ${model ?? "default model"}`,
    ...(changed.length === 0 ? [] : [`changed: ${changed.join(", ")}`]),
  ];
  return <p className="text-sm wrap-anywhere text-ink-soft">{parts.join(" · ")}</p>;
}
