import { useState } from "react";
import { isPortal } from "../../data/portal.ts";
import { CardSection } from "../../components/card.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { RECEIVER_PROGRAMS } from "./receiver-code.ts";

const LISTEN = "npm run swarmbase -- listen --forward http://localhost:3000/hook";

/** Code for a receiver. */
export function ReceiverSnippets() {
  const [first] = RECEIVER_PROGRAMS;
  const [way, setWay] = useState(isPortal() ? (first?.language ?? "") : "listen");
  return (
    <CardSection
      title="Example receivers"
      description="A 2xx response counts as delivered. A 5xx, a 429 or no response is retried; other responses are not."
    >
      <Tabs
        label="Example receivers"
        value={way}
        onChange={setWay}
        tabs={[
          ...(isPortal() ? [] : [LOCALLY]),
          ...RECEIVER_PROGRAMS.map(({ language, file, command, code }) => ({
            value: language,
            label: language,
            content: (
              <Snippet label={file} code={code}>
                {`Set WEBHOOK_SECRET to the secret of the webhook, and start it with “${command}”. Webhooks need HTTPS: run it behind a proxy that terminates TLS.`}
              </Snippet>
            ),
          })),
        ]}
      />
    </CardSection>
  );
}

function Snippet({
  label,
  code,
  children,
}: {
  readonly label: string;
  readonly code: string;
  readonly children: string;
}) {
  return (
    <div className="grid gap-3">
      <p className="text-ink-soft">{children}</p>
      <CodeBlock label={label} code={code} />
    </div>
  );
}

const LOCALLY = {
  value: "listen",
  label: "On this machine",
  content: (
    <Snippet label="Where the service runs" code={LISTEN}>
      Prints your events and forwards them to your program, with the headers and the body of a webhook. All traffic
      stays on this machine.
    </Snippet>
  ),
};
