import { UserPlus } from "lucide-react";
import { useState } from "react";
import {
  type ListedUser,
  USER_ORDERS,
  USER_STATES,
  type UserOrder,
  type UserState,
  useOperatedUsers,
} from "../../../data/operator-users.ts";
import { Button } from "../../../components/button.tsx";
import type { Column } from "../../../components/data-table.tsx";
import { formatCompact, formatMoney } from "../../../components/formats.ts";
import { ListPage } from "../../../components/list-page.tsx";
import type { Choice } from "../../../components/select.tsx";
import { useFilters } from "../../../components/use-filters.ts";
import { NewUserDialog } from "./new-user-dialog.tsx";
import { UserBadges } from "./user-badges.tsx";

const STATE_CHOICES: readonly Choice<UserState>[] = [
  { value: "disabled", label: "Disabled" },
  { value: "unconfirmed", label: "Address not confirmed" },
  { value: "operators", label: "Operators" },
];

const FIGURES = [
  { title: "Cost", month: "cost_month_usd", today: "cost_today_usd", format: formatMoney, narrow: "trailing" },
  { title: "Tokens", month: "tokens_month", today: "tokens_today", format: formatCompact, narrow: "line" },
  { title: "Runs", month: "runs_month", today: "runs_today", format: formatCompact, narrow: "line" },
  { title: "Requests", month: "requests_month", today: "requests_today", format: formatCompact, narrow: "line" },
] as const;

const COLUMNS: readonly Column<ListedUser>[] = [
  { title: "Address", width: "2fr", narrow: "title", render: ({ email, id }) => email ?? id },
  { title: "Name", width: "1.2fr", render: ({ name }) => <bdi>{name}</bdi> },
  { title: "State", width: "1.2fr", render: (user) => <UserBadges user={user} /> },
  ...FIGURES.map(
    ({ title, month, today, format, narrow }): Column<ListedUser> => ({
      title: `${title} / today`,
      narrow,
      isNumber: true,
      render: (user) => (
        <>
          {format(Number(user[month]))} <span className="text-ink-faint">/ {format(Number(user[today]))}</span>
        </>
      ),
    }),
  ),
];

const EXPORTED = (
  [
    "id",
    "email",
    "name",
    ...FIGURES.flatMap(({ month, today }) => [month, today] as const),
    "created_at",
    "last_sign_in_at",
    "banned_until",
  ] as const
).map((name): Column<ListedUser> => ({ title: name, render: (user) => user[name] }));

export function UserList() {
  const filters = useFilters();
  const state = filters.choice("state", USER_STATES);
  const order = filters.sort(Object.keys(USER_ORDERS) as [UserOrder]);
  const users = useOperatedUsers(filters.debouncedSearch, state, order);
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <ListPage
        title="Users"
        description="All accounts of the service, and what they have used this month and today (UTC). Everything that you do here is in the audit log."
        actions={
          <Button variant="primary" icon={<UserPlus />} onClick={() => setAdding(true)}>
            New user
          </Button>
        }
        noun="users"
        one="user"
        noMatchHint="No account has this name, address or id."
        filters={filters}
        searchLabel="Search by name, address or id"
        choices={[{ name: "state", label: "State", choices: STATE_CHOICES }]}
        orders={USER_ORDERS}
        pages={users}
        exported={EXPORTED}
        empty="Create one, or invite one by mail."
        table={{
          label: "Users",
          columns: COLUMNS,
          onOpen: { label: ({ email, id }) => email ?? id, to: ({ id }) => `/operator/users/${id}` },
        }}
      />
      <NewUserDialog isOpen={isAdding} onClose={() => setAdding(false)} />
    </>
  );
}
