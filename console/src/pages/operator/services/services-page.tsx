import { useServiceMail, useServiceProviders } from "../../../data/operator-operations.ts";
import { useServiceHooks, useServiceSignInProviders } from "../../../data/operator-sign-in.ts";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { CardsSkeleton } from "../../../components/skeleton.tsx";
import { HookCard } from "./hook-card.tsx";
import { MailCard } from "./mail-card.tsx";
import { ProviderCard } from "./provider-card.tsx";
import { SignInProviderCard } from "./sign-in-provider-card.tsx";

/** What the service calls: the providers of models, the mail server, the providers of sign-in, and hooks. */
export function ServicesPage() {
  const providers = useServiceProviders();
  const mail = useServiceMail();
  const signIn = useServiceSignInProviders();
  const hooks = useServiceHooks();
  const reads = [providers, mail, signIn, hooks];
  const read = {
    failure: reads.find(({ failure }) => failure !== null)?.failure ?? null,
    reload: () => {
      for (const { reload } of reads) reload();
    },
  };
  const isLoading =
    providers.rows === undefined || mail.rows === undefined || signIn.rows === undefined || hooks.rows === undefined;
  return (
    <>
      <PageHeader
        title="Services"
        description="The providers, mail server and hooks that the service calls, and whether they answer. A test is one real call."
      />
      {isLoading ? (
        <NotLoaded title="The page could not be loaded" read={read} skeleton={<CardsSkeleton />} />
      ) : (
        <div className="grid grid-cols-1 gap-5 lg:grid-cols-2">
          {providers.rows.providers.map((provider) => (
            <ProviderCard key={provider.framework} provider={provider} />
          ))}
          <MailCard mail={mail.rows} />
          {signIn.rows.providers.map((provider) => (
            <SignInProviderCard key={provider.name} provider={provider} />
          ))}
          {hooks.rows.hooks.map((hook) => (
            <HookCard key={hook.name} hook={hook} />
          ))}
        </div>
      )}
    </>
  );
}
