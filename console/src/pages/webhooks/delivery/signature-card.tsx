import { STANDARD_WEBHOOK_HEADERS, WEBHOOK_HEADERS, WEBHOOK_TOLERANCE_SECONDS } from "@swarmbase/sdk";
import { Eye } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { Delivery } from "../../../data/deliveries.ts";
import { isPortal } from "../../../data/portal.ts";
import { useRevealSecret } from "../../../data/webhooks.ts";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { Code, CodeBlock } from "../../../components/code-block.tsx";
import { formatCount } from "../../../components/formats.ts";
import { VerifyForm } from "./verify-form.tsx";

const encoder = new TextEncoder();

interface Signed {
  readonly secret: string;
  readonly timestamp: string;
  readonly signature: string;
}

const SHOWN_CHARACTERS = 180;

/** Explains how a delivery is signed, with the values of this one when the secret is revealed. */
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
      description="Your receiver verifies with it that the service sent the delivery and that nobody changed it."
      action={
        signed === null &&
        !isPortal() && (
          <Button size="small" icon={<Eye />} isBusy={reveal.isBusy} onClick={() => void sign()}>
            Sign it here
          </Button>
        )
      }
    >
      <div className="grid gap-5">
        {reveal.failure !== null && <Banner tone="bad">{reveal.failure.message}</Banner>}
        <ol className="grid gap-5">
          <Step number={1} title="Read the timestamp">
            <p>
              <Code>{WEBHOOK_HEADERS.timestamp}</Code> has the time of the attempt, in Unix seconds. A receiver rejects
              it if it differs from its clock by more than {WEBHOOK_TOLERANCE_SECONDS} seconds.
            </p>
            <CodeBlock label={WEBHOOK_HEADERS.timestamp} code={timestamp} />
          </Step>
          <Step number={2} title="Append a dot and the raw body">
            <p>
              The {formatCount(new TextEncoder().encode(body).length)} bytes as received. Parsing the JSON and
              serialising it again changes them.
            </p>
            <CodeBlock label="Signed content" code={`${timestamp}.${shorten(body)}`} isWrapped />
          </Step>
          <Step number={3} title="Compute the HMAC-SHA256 with the secret">
            <p>
              The key is the text of the secret as it is shown, <Code>whsec_</Code> included. The result in hex stands
              in <Code>{WEBHOOK_HEADERS.signature}</Code>.
            </p>
            <CodeBlock
              label={WEBHOOK_HEADERS.signature}
              code={signed?.signature ?? (isPortal() ? "sha256=…" : "sha256=…  (press “Sign it here”)")}
              isWrapped
            />
          </Step>
          <Step number={4} title="Compare in constant time">
            <p>
              <Code>verifyWebhook</Code> of <Code>@swarmbase/sdk</Code> does all of this. Standard Webhooks libraries
              use <Code>{STANDARD_WEBHOOK_HEADERS.signature}</Code>.
            </p>
          </Step>
        </ol>
        {signed !== null && <VerifyForm key={signed.timestamp} body={body} example={signed} />}
      </div>
    </CardSection>
  );
}

function Step({
  number,
  title,
  children,
}: {
  readonly number: number;
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <li className="grid grid-cols-[1.75rem_minmax(0,1fr)] gap-3">
      <span
        aria-hidden
        className="flex size-7 items-center justify-center rounded-full bg-accent-soft text-sm font-semibold text-accent"
      >
        {number}
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

/** Computes the signature of a delivery like the service: an HMAC of timestamp and body, keyed with the text of the secret. */
async function signBody(secret: string, timestamp: string, body: string): Promise<string> {
  const usage = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), usage, false, ["sign"]);
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(`${timestamp}.${body}`)));
  return `sha256=${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
