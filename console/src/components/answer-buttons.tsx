import { Check, X } from "lucide-react";
import { Button } from "./button.tsx";

interface AnswerButtonsProps {
  /** "the invitation to Lab" */
  readonly what: string;
  readonly isBusy: boolean;
  onAnswer(isAccepted: boolean): void;
}

export function AnswerButtons({ what, isBusy, onAnswer }: AnswerButtonsProps) {
  return (
    <div className="flex gap-2">
      <Button
        size="small"
        icon={<X />}
        disabled={isBusy}
        aria-label={`Decline ${what}`}
        onClick={() => onAnswer(false)}
      >
        Decline
      </Button>
      <Button
        size="small"
        variant="primary"
        icon={<Check />}
        isBusy={isBusy}
        aria-label={`Accept ${what}`}
        onClick={() => onAnswer(true)}
      >
        Accept
      </Button>
    </div>
  );
}
