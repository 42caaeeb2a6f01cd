import { useState } from "react";
import { useRevealGuardrailSecret } from "../../data/guardrails.ts";
import { Banner } from "../../components/banner.tsx";
import { CardSection } from "../../components/card.tsx";
import { RevealButton, SigningSecret } from "../../components/signing-secret.tsx";

/** The secret that signs the requests, which is shown on request. */
export function SecretCard({ guardrailId }: { readonly guardrailId: string }) {
  const reveal = useRevealGuardrailSecret();
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <CardSection
      title="Signing secret"
      description="Your server uses it to verify requests. It does not change: to replace it, create a new guardrail."
    >
      <div className="grid grid-cols-1 justify-items-start gap-4 *:first:justify-self-stretch">
        <SigningSecret secret={secret} />
        {reveal.failure !== null && <Banner tone="bad">{reveal.failure.message}</Banner>}
        <RevealButton
          isRevealed={secret !== null}
          isBusy={reveal.isBusy}
          onReveal={() => void reveal.run(guardrailId).then(setSecret)}
          onHide={() => setSecret(null)}
        />
      </div>
    </CardSection>
  );
}
