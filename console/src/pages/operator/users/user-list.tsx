import { UserPlus } from "lucide-react";
import { useState } from "react";
import { type OperatedUser, USER_STATES, type UserState, useOperatedUsers } from "../../../data/operator-users.ts";
import { Button } from "../../../components/button.tsx";
import type { Column } from "../../../components/data-table.tsx";
import { ListPage } from "../../../components/list-page.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import type { Choice } from "../../../components/select.tsx";
import { useFilters } from "../../../components/use-filters.ts";
import { NewUserDialog } from "./new-user-dialog.tsx";
import { UserBadges } from "./user-badges.tsx";

const STATE_CHOICES: readonly Choice<UserState>[] = [
  { value: "disabled", label: "Disabled" },
  { value: "unconfirmed", label: "Address not confirmed" },
  { value: "operators", label: "Operators" },
];

const COLUMNS: readonly Column<OperatedUser>[] = [
  { title: "User", width: "2fr", narrow: "title", render: ({ email, id }) => email ?? id },
  { title: "State", width: "2fr", narrow: "line", render: (user) => <UserBadges user={user} /> },
  {
    title: "Last sign-in",
    narrow: "trailing",
    text: ({ last_sign_in_at: at }) => at,
    render: ({ last_sign_in_at: at }) => (at === null ? "Never" : <RelativeTime at={at} />),
  },
  {
    title: "Created",
    narrow: "hidden",
    text: ({ created_at: at }) => at,
    render: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];

export function UserList() {
  const filters = useFilters();
  const state = filters.choice("state", USER_STATES);
  const users = useOperatedUsers(filters.debouncedSearch, state);
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <ListPage
        title="Users"
        description="All accounts of the service. Everything that you do here is in the audit log."
        actions={
          <Button variant="primary" icon={<UserPlus />} onClick={() => setAdding(true)}>
            New user
          </Button>
        }
        noun="users"
        one="user"
        noMatchHint="No account has this address or id."
        filters={filters}
        searchLabel="Search by address or id"
        choices={[{ name: "state", label: "State", choices: STATE_CHOICES }]}
        pages={users}
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
