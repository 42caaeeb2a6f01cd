import { RotateCw } from "lucide-react";
import { Button } from "./button.tsx";

interface FailureStateProps {
  /** "The agents could not be loaded" */
  readonly title: string;
  /** The error message of the service. */
  readonly message: string;
  onRetry?(): void;
}

/** Replaces content that could not be loaded, with a retry button. */
export function FailureState({ title, message, onRetry }: FailureStateProps) {
  return (
    <div
      role="alert"
      className="grid justify-items-center gap-3 rounded-lg border border-line bg-surface px-6 py-10 text-center"
    >
      <div className="grid gap-1">
        <p className="text-lg font-semibold">{title}</p>
        <p className="text-ink-soft">{message}</p>
      </div>
      {onRetry !== undefined && (
        <Button icon={<RotateCw />} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
