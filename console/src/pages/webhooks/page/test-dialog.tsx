import { CircleCheck, CircleX, Send } from "lucide-react";
import { useState } from "react";
import { type AnyEventType, useEventChoices } from "../../../data/event-types.ts";
import { type TestAnswer, useTestWebhook, type Webhook } from "../../../data/webhooks.ts";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { CodeBlock } from "../../../components/code-block.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { SelectField } from "../../../components/form-fields.tsx";
import { formatDuration } from "../../../components/formats.ts";
import { Link } from "../../../components/link.tsx";

interface TestDialogProps {
  readonly webhook: Webhook;
  readonly isOpen: boolean;
  onClose(): void;
  onSent(): void;
}

/** Sends a sample event and shows the response. */
export function TestDialog({ webhook, isOpen, onClose, onSent }: TestDialogProps) {
  const { id, events } = webhook;
  const [type, setType] = useState<AnyEventType>(events[0] ?? "message.created");
  const choices = useEventChoices(events);
  const [answer, setAnswer] = useState<TestAnswer | null>(null);
  const test = useTestWebhook();
  const send = async () => {
    setAnswer(null);
    const came = await test.run({ id, eventType: type });
    setAnswer(came);
    if (came !== null) onSent();
  };
  const close = () => {
    setAnswer(null);
    test.reset();
    onClose();
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={`Test ${webhook.name}`}
      description="Sends a signed sample event once. Its data has “test”: true."
      footer={
        <>
          <Button onClick={close}>Close</Button>
          <Button variant="primary" icon={<Send />} isBusy={test.isBusy} onClick={() => void send()}>
            {answer === null ? "Send" : "Send again"}
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        <SelectField<AnyEventType> label="Event" value={type} choices={choices} onChange={setType} />
        {test.failure !== null && <Banner tone="bad">{test.failure.message}</Banner>}
        {answer !== null && <Answer answer={answer} webhookId={id} />}
      </div>
    </Dialog>
  );
}

interface AnswerProps {
  readonly answer: TestAnswer;
  readonly webhookId: string;
}

function Answer({ answer, webhookId }: AnswerProps) {
  const { success, status_code, response_time_ms, response_body, error, delivery_id } = answer;
  return (
    <div role="status" className="grid gap-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {success ? (
          <CircleCheck className="size-5 text-good" aria-hidden />
        ) : (
          <CircleX className="size-5 text-bad" aria-hidden />
        )}
        <span className="font-medium">{success ? "Delivered" : "Not delivered"}</span>
        <span className="text-ink-soft tabular-nums">
          {status_code === null ? "no response" : `status ${status_code}`} after {formatDuration(response_time_ms)}
        </span>
        <Link to={`/webhooks/${webhookId}/deliveries/${delivery_id}`} className="sm:ml-auto">
          Open the delivery
        </Link>
      </div>
      {error !== undefined && error !== null && <p className="text-ink-soft">{error}</p>}
      {response_body !== null && response_body !== "" && (
        <CodeBlock label="Response body" code={response_body} isWrapped />
      )}
    </div>
  );
}
