import { Pause, Play, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { ActionDialog } from "./action-dialog.tsx";
import { Button } from "./button.tsx";
import { useToast } from "./toast.tsx";
import type { Selection } from "./use-selection.ts";

interface NamedRow {
  readonly id: string;
  readonly name: string;
}

/** What a bulk action has done. Rows that are not in `done` are unchanged. */
interface BulkResult {
  readonly done: readonly string[];
  /** Why the others are unchanged, if the service said so. */
  readonly reason: string | null;
}

export interface BulkAction<Row> {
  /** "Delete" */
  readonly label: string;
  /** "deleted" */
  readonly past: string;
  readonly icon?: ReactNode;
  readonly isDangerous?: boolean;
  /** What the confirmation says of the consequences. */
  readonly explanation: string;
  run(rows: readonly Row[]): Promise<BulkResult>;
}

export interface BulkBarProps<Row extends NamedRow> {
  readonly selection: Selection<Row>;
  /** "agent", "agents" */
  readonly nouns: readonly [one: string, many: string];
  readonly actions: readonly BulkAction<Row>[];
}

/** What all actions that delete rows have in common. */
export const BULK_DELETE = { label: "Delete", past: "deleted", icon: <Trash2 />, isDangerous: true } as const;

interface Bulk<Row> {
  remove(rows: readonly Row[]): Promise<BulkResult>;
  update(rows: readonly Row[], change: Readonly<Record<string, string | boolean>>): Promise<BulkResult>;
}

interface SwitchTexts {
  /** What the confirmations say. */
  readonly on: string;
  readonly off: string;
  readonly remove: string;
}

/** The actions of rows that can be on or off. */
export function switchActions<Row>(
  bulk: Bulk<Row>,
  column: string,
  texts: SwitchTexts,
  [on, off]: readonly [string | boolean, string | boolean] = [true, false],
): readonly BulkAction<Row>[] {
  const change = (value: string | boolean) => (rows: readonly Row[]) => bulk.update(rows, { [column]: value });
  return [
    { label: "Activate", past: "activated", icon: <Play />, explanation: texts.on, run: change(on) },
    { label: "Pause", past: "paused", icon: <Pause />, explanation: texts.off, run: change(off) },
    { ...BULK_DELETE, explanation: texts.remove, run: bulk.remove },
  ];
}

const MAX_NAMES = 5;

/** What can be done with the selected rows of a list; at the bottom of the screen while there are any. */
export function BulkBar<Row extends NamedRow>({ selection, nouns, actions }: BulkBarProps<Row>) {
  const [asked, setAsked] = useState<BulkAction<Row> | null>(null);
  const { rows } = selection;
  if (rows.length === 0) return null;
  return (
    <div
      role="region"
      aria-label={`Selected ${nouns[1]}`}
      className="sticky bottom-18 z-20 mt-4 flex flex-wrap items-center gap-2 rounded-lg border border-line-strong bg-raised p-2 pl-4 shadow-2 lg:bottom-4"
    >
      <span role="status" className="mr-auto font-medium tabular-nums">
        {count(rows.length, nouns)} selected
      </span>
      <Button size="small" variant="quiet" onClick={selection.selectAll}>
        Select all shown
      </Button>
      {actions.map((action) => (
        <Button
          key={action.label}
          size="small"
          icon={action.icon}
          {...(action.isDangerous === true && { variant: "danger" })}
          onClick={() => setAsked(action)}
        >
          {action.label} …
        </Button>
      ))}
      <Button size="small" variant="quiet" onClick={selection.clear}>
        Clear
      </Button>
      {asked !== null && (
        <ConfirmBulk action={asked} rows={rows} nouns={nouns} selection={selection} onClose={() => setAsked(null)} />
      )}
    </div>
  );
}

interface ConfirmBulkProps<Row extends NamedRow> extends Omit<BulkBarProps<Row>, "actions"> {
  readonly action: BulkAction<Row>;
  readonly rows: readonly Row[];
  onClose(): void;
}

function ConfirmBulk<Row extends NamedRow>({ action, rows, nouns, selection, onClose }: ConfirmBulkProps<Row>) {
  const [isBusy, setBusy] = useState(false);
  const toast = useToast();
  // Those that the user confirms, also if the list changes meanwhile.
  const [confirmed] = useState(rows);
  const what = count(confirmed.length, nouns);
  const run = async (): Promise<void> => {
    setBusy(true);
    const { done, reason } = await action.run(confirmed);
    onClose();
    if (done.length === confirmed.length) {
      selection.clear();
      toast({ text: `${what} ${action.past}.` });
      return;
    }
    const why = reason ?? "You may not change the others, or they no longer exist.";
    toast({ text: `${done.length} of ${what} ${action.past}. ${why}`, tone: "bad" });
  };
  return (
    <ActionDialog
      isOpen
      onClose={onClose}
      title={`${action.label} ${what}?`}
      action={`${action.label} ${what}`}
      isDangerous={action.isDangerous === true}
      isBusy={isBusy}
      onAction={() => void run()}
    >
      <div className="grid grid-cols-1 gap-3 text-ink-soft">
        <p>{action.explanation}</p>
        <ul className="grid list-disc gap-0.5 pl-5">
          {confirmed.slice(0, MAX_NAMES).map(({ id, name }) => (
            <li key={id} className="wrap-anywhere">
              {name}
            </li>
          ))}
          {confirmed.length > MAX_NAMES && <li>and {confirmed.length - MAX_NAMES} more</li>}
        </ul>
      </div>
    </ActionDialog>
  );
}

function count(number: number, [one, many]: BulkBarProps<NamedRow>["nouns"]): string {
  return `${number} ${number === 1 ? one : many}`;
}
