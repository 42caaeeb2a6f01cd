import { useState } from "react";
import { CardSection } from "../../components/card.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { Tabs } from "../../components/tabs.tsx";

const LISTEN = "npm run swarmbase -- listen --forward http://localhost:3000/hook";

const EXPRESS = `import { verifyWebhook, WebhookVerificationError } from "@swarmbase/sdk";
import express from "express";

const app = express();
// The raw bytes: the signature cannot be verified after express.json().
app.post("/hook", express.raw({ type: "application/json" }), async (request, response) => {
  try {
    const event = await verifyWebhook(request.body, request.headers, process.env.WEBHOOK_SECRET ?? "");
    console.log(event.type, event.data);
    response.sendStatus(204);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.status(400).send(error.reason);
  }
});
app.listen(3000);`;

const FETCH = `import { verifyWebhook, WebhookVerificationError } from "@swarmbase/sdk";

// For Next.js (app/hook/route.ts) and other frameworks with Request and Response.
export async function POST(request) {
  try {
    const event = await verifyWebhook(await request.text(), request.headers, process.env.WEBHOOK_SECRET ?? "");
    console.log(event.type, event.data);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return new Response(error.reason, { status: 400 });
  }
}`;

type Way = "listen" | "express" | "fetch";

/** Code for a receiver. */
export function ReceiverSnippets() {
  const [way, setWay] = useState<Way>("listen");
  return (
    <CardSection
      title="Example receivers"
      description="A 2xx response counts as delivered. A 5xx, a 429 or no response is retried; other responses are not."
    >
      <Tabs<Way>
        label="Example receivers"
        value={way}
        onChange={setWay}
        tabs={[
          {
            value: "listen",
            label: "On this machine",
            content: (
              <Snippet label="Where the service runs" code={LISTEN}>
                Creates a temporary webhook, prints its deliveries, and forwards them to your program with unchanged
                headers and body. All traffic stays on this machine.
              </Snippet>
            ),
          },
          {
            value: "express",
            label: "Express",
            content: (
              <Snippet label="server.mjs" code={EXPRESS}>
                Set WEBHOOK_SECRET to the secret of the webhook. Webhooks need HTTPS: run it behind a proxy that
                terminates TLS.
              </Snippet>
            ),
          },
          {
            value: "fetch",
            label: "Next.js and others",
            content: (
              <Snippet label="route.js" code={FETCH}>
                verifyWebhook runs wherever Web Crypto is available: Node.js, Deno, Bun, edge workers.
              </Snippet>
            ),
          },
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
