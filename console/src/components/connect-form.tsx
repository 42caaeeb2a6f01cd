import { ExternalLink, X } from "lucide-react";
import { Button, buttonStyle } from "./button.tsx";

export interface ConnectFormProps {
  readonly message: string;
  /** The page of the console that goes on to the server and comes back. */
  readonly to: string;
  /** Where the person signs in; null if that is not known. */
  readonly host: string | null;
  readonly isDeclining: boolean;
  readonly isDisabled: boolean;
  onDecline(): void;
}

/** A tool that waits until the person has connected an account. The call then continues by itself. */
export function ConnectForm({ message, to, host, isDeclining, isDisabled, onDecline }: ConnectFormProps) {
  return (
    <div role="group" aria-label={message} className="grid grid-cols-1 gap-3">
      <p className="wrap-anywhere whitespace-pre-wrap">{message}</p>
      <div className="flex flex-wrap items-center gap-2">
        {!isDisabled && (
          <a href={to} target="_blank" rel="noopener noreferrer" className={buttonStyle("primary", "small")}>
            <ExternalLink aria-hidden />
            Connect
          </a>
        )}
        <Button size="small" icon={<X />} isBusy={isDeclining} disabled={isDisabled} onClick={onDecline}>
          Decline
        </Button>
      </div>
      <p className="text-sm wrap-anywhere text-ink-faint">
        Opens {host ?? "the server"} in a new tab. The call continues when you have agreed there.
      </p>
    </div>
  );
}
