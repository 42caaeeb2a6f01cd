import { useServiceMail, useServiceProviders } from "../../../data/operator-operations.ts";
import { FailureState } from "../../../components/failure-state.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { CardsSkeleton } from "../../../components/skeleton.tsx";
import { Sections } from "../sections.tsx";
import { MailCard } from "./mail-card.tsx";
import { ProviderCard } from "./provider-card.tsx";

/** What the service calls: the providers of models, and the mail server. */
export function ServicesPage() {
  const providers = useServiceProviders();
  const mail = useServiceMail();
  const failure = providers.failure ?? mail.failure;
  const reload = () => {
    providers.reload();
    mail.reload();
  };
  return (
    <>
      <PageHeader
        title="Providers and mail"
        description="What the service calls, and whether it answers. A test is one real call."
      />
      <Sections />
      {providers.rows === undefined || mail.rows === undefined ? (
        failure === null ? (
          <CardsSkeleton />
        ) : (
          <FailureState title="The page could not be loaded" message={failure.message} onRetry={reload} />
        )
      ) : (
        <div className="grid grid-cols-1 gap-5 lg:grid-cols-2">
          {providers.rows.providers.map((provider) => (
            <ProviderCard key={provider.framework} provider={provider} />
          ))}
          <MailCard mail={mail.rows} />
        </div>
      )}
    </>
  );
}
