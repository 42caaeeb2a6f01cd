import { ExternalLink, X } from "lucide-react";
import { Button, buttonStyle } from "./button.tsx";

export interface ConnectFormProps {
  readonly message: string;
  /** Where the person signs in and agrees. */
  readonly url: string;
  readonly isDeclining: boolean;
  readonly isDisabled: boolean;
  onDecline(): void;
}

/** A tool that waits until the person has connected an account. The call continues by itself then. */
export function ConnectForm({ message, url, isDeclining, isDisabled, onDecline }: ConnectFormProps) {
  const address = URL.parse(url);
  // The text may come from anybody, and an address of another kind could be a script.
  const isWeb = address?.protocol === "https:" || address?.protocol === "http:";
  return (
    <div role="group" aria-label={message} className="grid grid-cols-1 gap-3">
      <p className="wrap-anywhere whitespace-pre-wrap">{message}</p>
      <div className="flex flex-wrap items-center gap-2">
        {isWeb && !isDisabled && (
          <a href={address.href} target="_blank" rel="noopener noreferrer" className={buttonStyle("primary", "small")}>
            <ExternalLink aria-hidden />
            Connect
          </a>
        )}
        <Button size="small" icon={<X />} isBusy={isDeclining} disabled={isDisabled} onClick={onDecline}>
          Decline
        </Button>
      </div>
      <p className="text-sm wrap-anywhere text-ink-faint">
        {isWeb
          ? `Opens ${address.host} in a new tab. The call continues when you have agreed there.`
          : "The address to connect at is not valid."}
      </p>
    </div>
  );
}
