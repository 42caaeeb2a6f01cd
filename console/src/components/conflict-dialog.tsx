import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { TextDifference } from "./text-difference.tsx";

/** A column of a form that was saved with another value in the meantime. */
export interface FormConflict {
  readonly column: string;
  readonly stored: unknown;
  readonly mine: unknown;
}

interface ConflictDialogProps {
  readonly conflicts: readonly FormConflict[];
  onResolve(choice: "mine" | "stored"): void;
  /** Returns to the form, whose input stays. */
  onClose(): void;
}

/** Shows what was saved while the user edited, beside the user's values, and asks which to keep. */
export function ConflictDialog({ conflicts, onResolve, onClose }: ConflictDialogProps) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="large"
      title="Changed in the meantime"
      description="Another tab or person saved other values after you began to edit. Your changes are not saved yet."
      footer={
        <>
          <Button onClick={onClose}>Continue to edit</Button>
          <Button onClick={() => onResolve("stored")}>Keep the saved values</Button>
          <Button variant="primary" onClick={() => onResolve("mine")}>
            Save my values
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-3">
        <p className="text-sm text-ink-soft">
          − is saved now, + is your value. Your other changes are saved either way.
        </p>
        {conflicts.map(({ column, stored, mine }) => (
          <TextDifference
            key={column}
            label={nameColumn(column)}
            before={render(stored, mine, column)}
            after={render(mine, stored, column)}
          />
        ))}
      </div>
    </Dialog>
  );
}

/** "system_prompt" → "System prompt" */
function nameColumn(column: string): string {
  const words = column.replaceAll("_", " ");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** One line for each part. The values of headers can be credentials, so they are only compared. */
function render(value: unknown, other: unknown, column: string): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(renderPart).join("\n");
  if (typeof value !== "object") return renderPart(value);
  const members = other as Readonly<Record<string, unknown>> | null;
  return Object.entries(value)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, part]) => {
      if (column !== "headers") return `${name}: ${renderPart(part)}`;
      return `${name}: ${part === members?.[name] ? "the same value" : "another value"}`;
    })
    .join("\n");
}

function renderPart(part: unknown): string {
  return typeof part === "string" ? part : JSON.stringify(part, null, 2);
}
