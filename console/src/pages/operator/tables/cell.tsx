import { ArrowUpRight, Check, CircleOff, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Link } from "react-router";
import type { Failure } from "../../../data/failure.ts";
import type { TableColumn } from "../../../data/operator-tables.ts";
import { IconButton } from "../../../components/icon-button.tsx";
import { TextArea } from "../../../components/text-area.tsx";
import { useToast } from "../../../components/toast.tsx";

interface CellProps {
  readonly column: TableColumn;
  readonly value: string | null;
  /** Resolves with null when the change was rejected. */
  onSave(to: string | null): Promise<unknown>;
  readonly failure: Failure | null;
}

/** Values are shown in full only when they are edited. */
const MAX_SHOWN = 80;

export function Cell({ column, value, onSave, failure }: CellProps) {
  const [isEditing, setEditing] = useState(false);
  if (isEditing)
    return (
      <CellEditor column={column} value={value} onSave={onSave} failure={failure} onClose={() => setEditing(false)} />
    );
  const reference = column.references;
  const shown = <Shown value={value} />;
  return (
    <div className="flex min-h-9 items-center gap-1 px-3 py-1">
      {column.is_editable ? (
        <button
          type="button"
          className="relative min-w-6 flex-1 truncate rounded-sm text-left hover:underline"
          onClick={() => setEditing(true)}
        >
          <span className="sr-only">Edit {column.name}: </span>
          {shown}
        </button>
      ) : (
        <span className="flex-1 truncate">{shown}</span>
      )}
      {reference !== null && value !== null && (
        <Link
          to={pathOfReference(reference, value)}
          aria-label={`Open ${reference.table} ${value}`}
          className="text-accent"
        >
          <ArrowUpRight className="size-4" aria-hidden />
        </Link>
      )}
    </div>
  );
}

function Shown({ value }: { readonly value: string | null }) {
  if (value === null) return <span className="text-ink-faint italic">NULL</span>;
  return value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value || " ";
}

function pathOfReference({ schema, table, column }: NonNullable<TableColumn["references"]>, value: string): string {
  if (schema === "auth") return `/operator/users/${encodeURIComponent(value)}`;
  const filters = encodeURIComponent(JSON.stringify([[column, "eq", value]]));
  return `/operator/tables/${encodeURIComponent(schema)}/${encodeURIComponent(table)}?filters=${filters}`;
}

function CellEditor({ column, value, onSave, failure, onClose }: CellProps & { onClose(): void }) {
  const [text, setText] = useState(value ?? "");
  const [hasFailed, setFailed] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const toast = useToast();
  const save = async (to: string | null) => {
    setBusy(true);
    const isSaved = (await onSave(to)) !== null;
    setBusy(false);
    setFailed(!isSaved);
    if (!isSaved) return;
    toast({ text: `${column.name} is saved.` });
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save(text);
  };
  return (
    <form className="flex w-80 flex-wrap items-start gap-1 p-1" onSubmit={submit}>
      <TextArea
        autoFocus
        aria-label={column.name}
        rows={text.length > MAX_SHOWN || text.includes("\n") ? 5 : 1}
        className="font-mono text-sm"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose();
          if (event.key === "Enter" && !event.shiftKey) submit(event);
        }}
      />
      <IconButton type="submit" size="small" label="Save" icon={<Check />} disabled={isBusy} />
      {column.is_nullable && (
        <IconButton
          size="small"
          label="Set to NULL"
          icon={<CircleOff />}
          disabled={isBusy}
          onClick={() => void save(null)}
        />
      )}
      <IconButton size="small" label="Cancel" icon={<X />} onClick={onClose} />
      {hasFailed && failure !== null && (
        <p role="alert" className="text-sm wrap-anywhere text-bad">
          {failure.message}
        </p>
      )}
    </form>
  );
}
