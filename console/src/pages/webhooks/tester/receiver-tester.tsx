import { CircleCheck, CircleX, Send } from "lucide-react";
import { useEffect, useState } from "react";
import { type AnyEventType, useEventChoices } from "../../../data/event-types.ts";
import {
  closeReceiverTestAtOnce,
  type ReceiverResult,
  type TestHook,
  useCloseReceiverTest,
  useOpenReceiverTest,
  useTestReceiver,
} from "../../../data/receiver-test.ts";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { CodeBlock } from "../../../components/code-block.tsx";
import { SelectField, TextField } from "../../../components/form-fields.tsx";
import { formatDuration } from "../../../components/formats.ts";
import { PageHeader } from "../../../components/page-header.tsx";
import { ReceiverSnippets } from "../receiver-snippets.tsx";

const CHECKS: Readonly<Record<ReceiverResult["check"], { readonly passed: string; readonly missed: string }>> = {
  accepts: { passed: "Accepts a signed event", missed: "Does not accept a signed event" },
  rejects: {
    passed: "Rejects an event with another signature",
    missed: "Does not reject an event with another signature",
  },
};

/** Tests any receiver, before it gets a webhook: it must accept what is signed with its secret, and nothing else. */
export function ReceiverTester() {
  const [results, setResults] = useState<readonly ReceiverResult[] | null>(null);
  return (
    <>
      <PageHeader
        title="Test a receiver"
        crumbs={[{ label: "Webhooks", to: "/webhooks" }]}
        description="Sends signed and forged sample events to a URL and shows what it answers. The webhook “Receiver test”, which has the secret, is deleted when you leave this page."
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        <TesterForm onResults={setResults} />
        <div role="status" className="empty:hidden">
          {results !== null && <Results results={results} />}
        </div>
        <ReceiverSnippets />
      </div>
    </>
  );
}

/** `onResults`: null while there are none. */
function TesterForm({ onResults }: { onResults(results: readonly ReceiverResult[] | null): void }) {
  const [url, setUrl] = useState("");
  const [eventType, setEventType] = useState<AnyEventType>("message.created");
  const choices = useEventChoices();
  const [opened, setOpened] = useState<{ readonly hook: TestHook; readonly url: string } | null>(null);
  const open = useOpenReceiverTest();
  const test = useTestReceiver();
  useRemovedWhenLeft(opened?.hook.id ?? null);
  const begin = async () => {
    const hook = await open.run(url);
    if (hook !== null) setOpened({ hook, url });
  };
  const send = async () => {
    if (opened === null) return;
    onResults(null);
    onResults(await test.run({ ...opened, eventType }));
  };
  return (
    <CardSection title="Receiver">
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void (opened === null ? begin() : send());
        }}
      >
        <TextField
          label="URL"
          error={open.errors["url"]}
          type="url"
          value={url}
          onChange={setUrl}
          placeholder="https://example.com/hook"
          disabled={opened !== null}
        />
        {opened !== null && (
          <>
            <CodeBlock label="Secret: give it to the receiver as WEBHOOK_SECRET" code={opened.hook.secret} />
            <SelectField<AnyEventType> label="Event" value={eventType} choices={choices} onChange={setEventType} />
          </>
        )}
        {open.failure !== null && open.errors["url"] === undefined && (
          <Banner tone="bad">{open.failure.message}</Banner>
        )}
        {test.failure !== null && <Banner tone="bad">{test.failure.message}</Banner>}
        <div className="flex flex-wrap justify-end gap-2">
          {opened !== null && (
            <Button
              onClick={() => {
                setOpened(null);
                onResults(null);
              }}
            >
              Another receiver
            </Button>
          )}
          <Button
            type="submit"
            variant="primary"
            icon={<Send />}
            disabled={url.trim() === ""}
            isBusy={open.isBusy || test.isBusy}
          >
            {opened === null ? "Get secret" : "Send both events"}
          </Button>
        </div>
      </form>
    </CardSection>
  );
}

/** Deletes the temporary webhook when another one replaces it, and when the page is left or closed. */
function useRemovedWhenLeft(id: string | null): void {
  const { run: remove } = useCloseReceiverTest();
  useEffect(() => {
    if (id === null) return;
    const close = (): void => closeReceiverTestAtOnce(id);
    addEventListener("pagehide", close);
    return () => {
      removeEventListener("pagehide", close);
      void remove(id);
    };
  }, [id, remove]);
}

function Results({ results }: { readonly results: readonly ReceiverResult[] }) {
  return (
    <CardSection title="Results">
      <ul className="grid gap-5">
        {results.map(({ check, isPassed, answer }) => (
          <li key={check} className="grid gap-2">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              {isPassed ? (
                <CircleCheck className="size-5 text-good" aria-hidden />
              ) : (
                <CircleX className="size-5 text-bad" aria-hidden />
              )}
              <span className="font-medium">{CHECKS[check][isPassed ? "passed" : "missed"]}</span>
              <span className="text-ink-soft tabular-nums">
                {answer.status_code === null ? "no response" : `status ${answer.status_code}`} after{" "}
                {formatDuration(answer.response_time_ms)}
              </span>
            </div>
            {answer.error !== undefined && answer.error !== null && <p className="text-ink-soft">{answer.error}</p>}
            {answer.response_body !== null && answer.response_body !== "" && (
              <CodeBlock label="Response body" code={answer.response_body} isWrapped />
            )}
          </li>
        ))}
      </ul>
    </CardSection>
  );
}
