import type { OperatedUser } from "../../../data/operator-users.ts";
import { Badge } from "../../../components/badge.tsx";

export function UserBadges({ user }: { readonly user: OperatedUser }) {
  const isInvited = user.invited_at !== null && user.last_sign_in_at === null;
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      {user.banned_until === null ? <Badge>Active</Badge> : <Badge tone="bad">Disabled</Badge>}
      {user.is_operator && <Badge tone="accent">Operator</Badge>}
      {user.has_second_factor && <Badge tone="good">Second factor</Badge>}
      {isInvited && <Badge>Invited</Badge>}
      {user.email_confirmed_at === null && !user.is_anonymous && <Badge tone="thinking">Not confirmed</Badge>}
      {user.is_anonymous && <Badge>Anonymous</Badge>}
    </span>
  );
}
