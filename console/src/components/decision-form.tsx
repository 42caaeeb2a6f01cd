import { Check, ExternalLink, X } from "lucide-react";
import { useState } from "react";
import { Button, buttonStyle } from "./button.tsx";
import { QuestionForm } from "./question-form.tsx";

interface Question {
  readonly message: string;
  readonly schema: unknown;
  /** "connect": the tool waits until the person has connected an account. */
  readonly kind?: string | undefined;
  /** Where the person signs in. */
  readonly url?: string | undefined;
}

export interface DecisionFormProps {
  readonly callId: string;
  /** What the tool asks; null if the call only needs an approval. */
  readonly question: Question | null;
  readonly isDisabled?: boolean;
  /** Why the last decision failed, or null. */
  readonly failure: string | null;
  /** Resolves to whether the decision was stored. */
  onDecide(isApproved: boolean, content?: Readonly<Record<string, unknown>>): Promise<boolean>;
}

/** The buttons for a tool call that waits, or the form of its question. A call can be decided once. */
export function DecisionForm({ callId, question, isDisabled = false, failure, onDecide }: DecisionFormProps) {
  const [decided, setDecided] = useState<boolean | null>(null);
  const decide = async (isApproved: boolean, content?: Readonly<Record<string, unknown>>) => {
    setDecided(isApproved);
    if (!(await onDecide(isApproved, content))) setDecided(null);
  };
  return (
    <div className="grid gap-2">
      {question === null ? (
        <div className="flex flex-wrap items-center gap-2">
          <Button
            size="small"
            variant="primary"
            icon={<Check />}
            isBusy={decided === true}
            disabled={decided !== null || isDisabled}
            onClick={() => void decide(true)}
          >
            Approve
          </Button>
          <Button
            size="small"
            icon={<X />}
            isBusy={decided === false}
            disabled={decided !== null || isDisabled}
            onClick={() => void decide(false)}
          >
            Deny
          </Button>
        </div>
      ) : question.kind === "connect" ? (
        <ConnectForm
          message={question.message}
          host={URL.parse(question.url ?? "")?.host ?? null}
          to={`/tools/connect/${callId}`}
          isDeclining={decided === false}
          isDisabled={decided !== null || isDisabled}
          onDecline={() => void decide(false)}
        />
      ) : (
        <QuestionForm
          message={question.message}
          schema={question.schema}
          pressed={decided === null ? null : decided ? "answer" : "decline"}
          isDisabled={isDisabled}
          onAnswer={(content) => void decide(true, content)}
          onDecline={() => void decide(false)}
        />
      )}
      {failure !== null && (
        <p role="alert" className="text-sm text-bad">
          {failure}
        </p>
      )}
    </div>
  );
}

interface ConnectFormProps {
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
function ConnectForm({ message, to, host, isDeclining, isDisabled, onDecline }: ConnectFormProps) {
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
