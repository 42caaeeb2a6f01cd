import { Link2, Mail } from "lucide-react";
import { type UserIdentity, useIdentities, useLinkIdentity, useUnlinkIdentity } from "../../data/identities.ts";
import { useReturnedError } from "../../data/returned-error.ts";
import { useSignInWays } from "../../data/sign-in-ways.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CardSection } from "../../components/card.tsx";
import { ListRow, RowList } from "../../components/list-row.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { useToast } from "../../components/toast.tsx";

const EMAIL = "email";

/** The accounts elsewhere with which the user signs in. Nothing is shown where there are none and none can be connected. */
export function IdentitiesCard() {
  const { rows: identities, failure } = useIdentities();
  const providers = useSignInWays()?.providers ?? [];
  const returned = useReturnedError();
  const link = useLinkIdentity();
  const unlink = useUnlinkIdentity();
  const toast = useToast();
  const problem = returned ?? (failure ?? link.failure ?? unlink.failure)?.message ?? null;
  const labels = new Map([[EMAIL, "E-mail"], ...providers.map(({ name, label }) => [name, label] as const)]);
  const linked = new Set(identities?.map(({ provider }) => provider));
  const disconnect = async (identity: UserIdentity, label: string) => {
    if ((await unlink.run(identity)) !== null) toast({ text: `${label} is disconnected. You can connect it again.` });
  };
  if (problem === null && providers.length === 0 && [...linked].every((name) => name === EMAIL)) return null;
  return (
    <CardSection title="Connected accounts" description="Each of them signs you in to this account.">
      <div className="grid gap-4">
        {problem !== null && <Banner tone="bad">{problem}</Banner>}
        <RowList>
          {identities?.map((identity) => {
            const { identity_id: id, provider, identity_data: about, last_sign_in_at: usedAt } = identity;
            const label = labels.get(provider) ?? provider;
            return (
              <ListRow
                key={id}
                icon={provider === EMAIL ? <Mail aria-hidden /> : <Link2 aria-hidden />}
                title={label}
                details={
                  <>
                    {String(about?.["email"] ?? "")}
                    {usedAt !== undefined && " used "}
                    {usedAt !== undefined && <RelativeTime at={usedAt} />}
                  </>
                }
              >
                {provider !== EMAIL && (
                  <Button
                    size="small"
                    aria-label={`Disconnect ${label}`}
                    disabled={unlink.isBusy || identities.length === 1}
                    onClick={() => void disconnect(identity, label)}
                  >
                    Disconnect
                  </Button>
                )}
              </ListRow>
            );
          })}
        </RowList>
        {identities?.length === 1 && !linked.has(EMAIL) && (
          <p className="text-sm text-ink-soft">
            The last one cannot be disconnected, so that you do not lose your account. Connect another one first.
          </p>
        )}
        <div className="flex flex-wrap gap-2 empty:hidden">
          {providers
            .filter(({ name }) => !linked.has(name))
            .map(({ name, label }) => (
              <Button key={name} icon={<Link2 />} disabled={link.isBusy} onClick={() => void link.run(name)}>
                Connect {label}
              </Button>
            ))}
        </div>
      </div>
    </CardSection>
  );
}
