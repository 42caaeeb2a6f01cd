import { FactorsCard } from "./factors-card.tsx";
import { PasswordCard } from "./password-card.tsx";

export function SecurityTab() {
  return (
    <div className="grid gap-5">
      <PasswordCard />
      <FactorsCard />
    </div>
  );
}
