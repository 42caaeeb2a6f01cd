import { useServiceMail, useServiceProviders } from "../../../data/operator-operations.ts";
import { NotLoaded } from "../../../components/not-loaded.tsx";
import { PageHeader } from "../../../components/page-header.tsx";
import { CardsSkeleton } from "../../../components/skeleton.tsx";
import { Sections } from "../sections.tsx";
import { MailCard } from "./mail-card.tsx";
import { ProviderCard } from "./provider-card.tsx";

/** What the service calls: the providers of models, and the mail server. */
export function ServicesPage() {
  const providers = useServiceProviders();
  const mail = useServiceMail();
  const read = {
    failure: providers.failure ?? mail.failure,
    reload: () => {
      providers.reload();
      mail.reload();
    },
  };
  return (
    <>
      <PageHeader
        title="Providers and mail"
        description="What the service calls, and whether it answers. A test is one real call."
      />
      <Sections />
      {providers.rows === undefined || mail.rows === undefined ? (
        <NotLoaded title="The page could not be loaded" read={read} skeleton={<CardsSkeleton />} />
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
