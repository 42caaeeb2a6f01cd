import { useNavigate, useParams, Route, Routes } from "react-router";
import { PageHeader } from "../../components/page-header.tsx";
import { type Tab, Tabs } from "../../components/tabs.tsx";
import { BudgetsTab } from "./budgets-tab.tsx";
import { KeysTab } from "./keys-tab.tsx";
import { ProfileTab } from "./profile-tab.tsx";
import { SecurityTab } from "./security-tab.tsx";
import { SessionsTab } from "./sessions-tab.tsx";
import { SigningTab } from "./signing-tab.tsx";

type Section = "profile" | "security" | "sessions" | "keys" | "signing" | "budgets";

const TABS: readonly Tab<Section>[] = [
  { value: "profile", label: "Profile", content: <ProfileTab /> },
  { value: "security", label: "Sign-in", content: <SecurityTab /> },
  { value: "sessions", label: "Sessions", content: <SessionsTab /> },
  { value: "keys", label: "API keys", content: <KeysTab /> },
  { value: "budgets", label: "Budgets", content: <BudgetsTab /> },
  { value: "signing", label: "Request signing", content: <SigningTab /> },
];

export function AccountPage() {
  return (
    <Routes>
      <Route path=":section?" element={<AccountTabs />} />
    </Routes>
  );
}

function pathOf(section: Section): string {
  return section === "profile" ? "/account" : `/account/${section}`;
}

function AccountTabs() {
  const { section } = useParams();
  const navigate = useNavigate();
  const open = TABS.find(({ value }) => value === section)?.value ?? "profile";
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title="Account" description="Your profile, sign-in and budgets." />
      <Tabs<Section>
        label="Account"
        value={open}
        tabs={TABS}
        pathOf={pathOf}
        onChange={(value) => void navigate(pathOf(value), { preventScrollReset: true })}
      />
    </div>
  );
}
