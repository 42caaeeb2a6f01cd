import { UserPlus } from "lucide-react";
import { useState } from "react";
import { useNavigate } from "react-router";
import { ActionDialog } from "../../../components/action-dialog.tsx";
import { Button } from "../../../components/button.tsx";
import type { Column } from "../../../components/data-table.tsx";
import { Field } from "../../../components/field.tsx";
import { formatCompact, formatMoney } from "../../../components/formats.ts";
import { ListPage } from "../../../components/list-page.tsx";
import { PasswordInput } from "../../../components/password-input.tsx";
import { RadioGroup } from "../../../components/radio-group.tsx";
import type { Choice } from "../../../components/select.tsx";
import { TextInput } from "../../../components/text-input.tsx";
import { typed } from "../../../components/typed.ts";
import { useFilters } from "../../../components/use-filters.ts";
import {
  type ListedUser,
  useCreateUser,
  useOperatedUsers,
  USER_ORDERS,
  USER_STATES,
  type UserOrder,
  type UserState,
} from "../../../data/operator-users.ts";
import { UserBadges } from "./user-badges.tsx";

const WAYS = [
  { value: "invite", label: "Invite", hint: "A mail has a link, and the person sets a password." },
  { value: "create", label: "Create", hint: "The account is usable at once, with the password below." },
] as const;

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

type Way = (typeof WAYS)[number]["value"];

function NewUserDialog({ isOpen, onClose }: { readonly isOpen: boolean; onClose(): void }) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [way, setWay] = useState<Way>("invite");
  const create = useCreateUser();
  const navigate = useNavigate();
  const close = () => {
    setEmail("");
    setPassword("");
    create.reset();
    onClose();
  };
  const submit = async () => {
    const created = await create.run({ email, password: way === "invite" ? null : password });
    if (created === null) return;
    close();
    await navigate(`/operator/users/${created.user.id}`);
  };
  return (
    <ActionDialog
      size="medium"
      isOpen={isOpen}
      onClose={close}
      title="New user"
      action={way === "invite" ? "Send invitation" : "Create user"}
      isBusy={create.isBusy}
      isForm
      onAction={() => void submit()}
    >
      <RadioGroup<Way> label="How" value={way} choices={WAYS} onChange={setWay} />
      <Field label="E-mail address" error={create.errors["email"] ?? create.failure?.message}>
        <TextInput type="email" required maxLength={320} autoComplete="off" {...typed(email, setEmail)} />
      </Field>
      {way === "create" && (
        <Field label="Password">
          <PasswordInput required autoComplete="new-password" {...typed(password, setPassword)} />
        </Field>
      )}
    </ActionDialog>
  );
}
