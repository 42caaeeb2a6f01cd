import { FactorsCard } from "./factors-card.tsx";
import { IdentitiesCard } from "./identities-card.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";
import { PasswordCard } from "./password-card.tsx";

export function SecurityTab() {
  return (
    <div className="grid gap-5">
      <PasswordCard />
      <PasskeysCard />
      <IdentitiesCard />
      <FactorsCard />
    </div>
  );
}
