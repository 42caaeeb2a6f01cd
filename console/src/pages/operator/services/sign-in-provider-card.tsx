import {
  type ServiceSignInProvider,
  type SignInCheck,
  useCheckSignInProvider,
} from "../../../data/operator-sign-in.ts";
import { useState } from "react";
import { Badge } from "../../../components/badge.tsx";
import { Banner } from "../../../components/banner.tsx";
import { Button } from "../../../components/button.tsx";
import { CardSection } from "../../../components/card.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { Facts } from "../../../components/facts.tsx";

/** A provider that users sign in with. The client id is no secret. */
export function SignInProviderCard({ provider }: { readonly provider: ServiceSignInProvider }) {
  const { name, label, kind, issuer, client_id: clientId, callback_url: callbackUrl } = provider;
  const [latest, setLatest] = useState<SignInCheck | null>(provider.check);
  const check = useCheckSignInProvider(name);
  const run = async () => {
    const made = await check.run();
    if (made !== null) setLatest(made);
  };
  return (
    <CardSection
      title={`Sign-in with ${label}`}
      description={name}
      action={
        latest !== null && <Badge tone={latest.ok ? "good" : "bad"}>{latest.ok ? "Answers" : "Does not work"}</Badge>
      }
    >
      <div className="grid gap-4">
        <Facts
          rows={[
            ["Kind", kind],
            ...(issuer === null ? [] : ([["Issuer", issuer]] as const)),
            ["Client id", clientId],
            ["Callback URL", callbackUrl],
            ...(latest === null
              ? []
              : ([
                  ["Result", latest.message],
                  ["Checked", <RelativeTime key="at" at={latest.checked_at} />],
                ] as const)),
          ]}
        />
        <div>
          <Button isBusy={check.isBusy} aria-label={`Check ${label}`} onClick={() => void run()}>
            Check
          </Button>
        </div>
        {check.failure !== null && <Banner tone="bad">{check.failure.message}</Banner>}
      </div>
    </CardSection>
  );
}
