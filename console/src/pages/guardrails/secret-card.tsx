import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import { useRevealGuardrailSecret } from "../../data/guardrails.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CardSection } from "../../components/card.tsx";
import { CopyButton } from "../../components/copy-button.tsx";

const HIDDEN = "whsec_••••••••••••••••••••••••";

/** The secret that signs the requests, which is shown on request. */
export function SecretCard({ guardrailId }: { readonly guardrailId: string }) {
  const reveal = useRevealGuardrailSecret();
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <CardSection
      title="Signing secret"
      description="Your server uses it to verify requests. It does not change: to replace it, make a new guardrail."
    >
      <div className="grid grid-cols-1 gap-4">
        <div className="flex min-w-0 items-center gap-2 rounded-md border border-line bg-sunken py-1.5 pr-1.5 pl-3">
          <code data-secret className="min-w-0 flex-1 font-mono text-sm break-all">
            {secret ?? HIDDEN}
          </code>
          {secret !== null && <CopyButton text={secret} label="Copy the secret" />}
        </div>
        {reveal.failure !== null && <Banner tone="bad">{reveal.failure.message}</Banner>}
        {secret === null ? (
          <Button
            icon={<Eye />}
            className="justify-self-start"
            isBusy={reveal.isBusy}
            onClick={() => void reveal.run(guardrailId).then(setSecret)}
          >
            Reveal
          </Button>
        ) : (
          <Button icon={<EyeOff />} className="justify-self-start" onClick={() => setSecret(null)}>
            Hide
          </Button>
        )}
      </div>
    </CardSection>
  );
}
