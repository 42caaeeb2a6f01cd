import { Check, X } from "lucide-react";
import { useState } from "react";
import { Button } from "./button.tsx";
import { ConnectForm } from "./connect-form.tsx";
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
