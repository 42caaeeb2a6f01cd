import { Route, Routes } from "react-router";
import { PageHeader } from "../../components/page-header.tsx";
import { PathTabs } from "../../components/path-tabs.tsx";
import type { Tab } from "../../components/tabs.tsx";
import { BudgetsTab } from "./budgets-tab.tsx";
import { ConnectionsTab } from "./connections-tab.tsx";
import { KeysTab } from "./keys-tab.tsx";
import { ProgramsTab } from "./programs-tab.tsx";
import { ProfileTab } from "./profile-tab.tsx";
import { SecurityTab } from "./security-tab.tsx";
import { SessionsTab } from "./sessions-tab.tsx";
import { SigningTab } from "./signing-tab.tsx";

const TABS: readonly Tab[] = [
  { value: "profile", label: "Profile", content: <ProfileTab /> },
  { value: "security", label: "Sign-in", content: <SecurityTab /> },
  { value: "sessions", label: "Sessions", content: <SessionsTab /> },
  { value: "keys", label: "API keys", content: <KeysTab /> },
  { value: "programs", label: "Programs", content: <ProgramsTab /> },
  { value: "connections", label: "Connections", content: <ConnectionsTab /> },
  { value: "budgets", label: "Budgets", content: <BudgetsTab /> },
  { value: "signing", label: "Request signing", content: <SigningTab /> },
];

export function AccountPage() {
  return (
    <Routes>
      <Route path=":tab?" element={<AccountTabs />} />
    </Routes>
  );
}

function AccountTabs() {
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title="Account" description="Your profile, sign-in, connections and budgets." />
      <PathTabs label="Account" path="/account" tabs={TABS} keepsScroll />
    </div>
  );
}
