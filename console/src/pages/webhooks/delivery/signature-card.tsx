import { STANDARD_WEBHOOK_HEADERS, WEBHOOK_HEADERS, WEBHOOK_TOLERANCE_SECONDS } from "@swarmbase/sdk";
import { Eye } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Delivery } from "../../../data/deliveries.ts";
import { useRevealSecret } from "../../../data/webhooks.ts";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { Code, CodeBlock } from "../../../components/code-block.tsx";
import { formatCount } from "../../../components/formats.ts";
import { signBody } from "./sign-body.ts";
import { VerifyForm } from "./verify-form.tsx";

interface Signed {
  readonly secret: string;
  readonly timestamp: string;
  readonly signature: string;
}

const SHOWN_CHARACTERS = 180;

/** How a delivery is signed, step by step, with the numbers of this one once the secret is there. */
export function SignatureCard({ delivery, webhookId }: { readonly delivery: Delivery; readonly webhookId: string }) {
  const { body } = delivery;
  const reveal = useRevealSecret();
  const [signed, setSigned] = useState<Signed | null>(null);
  const sign = async () => {
    const secret = await reveal.run(webhookId);
    if (secret === null) return;
    const timestamp = String(Math.floor(Date.now() / 1_000));
    setSigned({ secret, timestamp, signature: await signBody(secret, timestamp, body) });
  };
  const timestamp = signed?.timestamp ?? String(Math.floor(Date.parse(delivery.created_at) / 1_000));
  return (
    <CardSection
      title="Signature"
      description="How your receiver knows that a delivery comes from here and was not changed on the way."
      action={
        signed === null && (
          <Button size="small" icon={<Eye />} isBusy={reveal.isBusy} onClick={() => void sign()}>
            Sign it here
          </Button>
        )
      }
    >
      <div className="grid gap-5">
        {reveal.failure !== null && <Banner tone="bad">{reveal.failure.message}</Banner>}
        <ol className="grid gap-5">
          <Step at={1} title="Take the time">
            <p>
              Each attempt says in <Code>{WEBHOOK_HEADERS.timestamp}</Code> when it was sent, in Unix seconds. A
              receiver refuses what is more than {WEBHOOK_TOLERANCE_SECONDS} seconds away from its own clock.
            </p>
            <CodeBlock label={WEBHOOK_HEADERS.timestamp} code={timestamp} />
          </Step>
          <Step at={2} title="Put a dot and the raw body behind it">
            <p>
              The {formatCount(new TextEncoder().encode(body).length)} bytes as they came. Parsing the JSON and printing
              it again changes them.
            </p>
            <CodeBlock label="What is signed" code={`${timestamp}.${shorten(body)}`} isWrapped />
          </Step>
          <Step at={3} title="HMAC-SHA256 it with the secret">
            <p>
              The key is the text of the secret as it is shown, <Code>whsec_</Code> included. The result in hex stands
              in <Code>{WEBHOOK_HEADERS.signature}</Code>.
            </p>
            <CodeBlock
              label={WEBHOOK_HEADERS.signature}
              code={signed?.signature ?? "sha256=…  (press “Sign it here”)"}
              isWrapped
            />
          </Step>
          <Step at={4} title="Compare, in constant time">
            <p>
              <Code>verifyWebhook</Code> of <Code>@swarmbase/sdk</Code> does all of this. The libraries of Standard
              Webhooks find theirs in <Code>{STANDARD_WEBHOOK_HEADERS.signature}</Code>.
            </p>
          </Step>
        </ol>
        {signed !== null && <VerifyForm key={signed.timestamp} body={body} example={signed} />}
      </div>
    </CardSection>
  );
}

function Step({ at, title, children }: { readonly at: number; readonly title: string; readonly children: ReactNode }) {
  return (
    <li className="grid grid-cols-[1.75rem_minmax(0,1fr)] gap-3">
      <span
        aria-hidden
        className="flex size-7 items-center justify-center rounded-full bg-accent-soft text-sm font-semibold text-accent"
      >
        {at}
      </span>
      <div className="grid min-w-0 gap-2 pt-0.5">
        <h3 className="font-medium">{title}</h3>
        <div className="grid gap-2 text-ink-soft">{children}</div>
      </div>
    </li>
  );
}

function shorten(body: string): string {
  return body.length <= SHOWN_CHARACTERS ? body : `${body.slice(0, SHOWN_CHARACTERS)} …`;
}
