import { verifyWebhook, WEBHOOK_HEADERS, WEBHOOK_TOLERANCE_SECONDS, WebhookVerificationError } from "@swarmbase/sdk";
import { ShieldCheck } from "lucide-react";
import { useState } from "react";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { Field } from "../../../components/field.tsx";
import { TextInput } from "../../../components/text-input.tsx";

interface VerifyFormProps {
  readonly body: string;
  readonly example: { readonly secret: string; readonly timestamp: string; readonly signature: string };
}

interface Verdict {
  readonly isGood: boolean;
  readonly text: string;
}

/** Verifies headers of a receiver with the SDK, in the browser. */
export function VerifyForm({ body, example }: VerifyFormProps) {
  const [timestamp, setTimestamp] = useState(example.timestamp);
  const [signature, setSignature] = useState(example.signature);
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const verify = async () => setVerdict(await judge({ body, secret: example.secret, timestamp, signature }));
  return (
    <form
      className="grid gap-4 rounded-md border border-line p-4"
      onSubmit={(event) => {
        event.preventDefault();
        void verify();
      }}
    >
      <div className="grid gap-0.5">
        <h3 className="font-medium">Verify received headers</h3>
        <p className="text-sm text-ink-soft">
          Paste the two headers of one attempt. The browser verifies them with the current secret and the body above.
        </p>
      </div>
      <div className="grid gap-4 lg:grid-cols-[12rem_minmax(0,1fr)]">
        <Field label={WEBHOOK_HEADERS.timestamp}>
          <TextInput
            value={timestamp}
            inputMode="numeric"
            spellCheck={false}
            autoComplete="off"
            onChange={({ target }) => {
              setTimestamp(target.value.trim());
              setVerdict(null);
            }}
            className="font-mono text-sm"
          />
        </Field>
        <Field label={WEBHOOK_HEADERS.signature}>
          <TextInput
            value={signature}
            spellCheck={false}
            autoComplete="off"
            onChange={({ target }) => {
              setSignature(target.value.trim());
              setVerdict(null);
            }}
            className="font-mono text-sm"
          />
        </Field>
      </div>
      {verdict !== null && <Banner tone={verdict.isGood ? "note" : "bad"}>{verdict.text}</Banner>}
      <div>
        <Button type="submit" icon={<ShieldCheck />}>
          Verify
        </Button>
      </div>
    </form>
  );
}

interface Evidence {
  readonly body: string;
  readonly secret: string;
  readonly timestamp: string;
  readonly signature: string;
}

async function judge({ body, secret, timestamp, signature }: Evidence): Promise<Verdict> {
  const headers = { [WEBHOOK_HEADERS.timestamp]: timestamp, [WEBHOOK_HEADERS.signature]: signature };
  try {
    // No time limit: the signature is checked even for old attempts.
    await verifyWebhook(body, headers, secret, { toleranceSeconds: Number.POSITIVE_INFINITY });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return { isGood: false, text: `${error.message} (${error.reason}).` };
  }
  const age = Math.abs(Math.floor(Date.now() / 1_000) - Number(timestamp));
  const isOld = age > WEBHOOK_TOLERANCE_SECONDS;
  return {
    isGood: true,
    text: isOld
      ? `The signature is valid. It is ${age} s old, so a receiver would reject it as a replay.`
      : "The signature is valid.",
  };
}
