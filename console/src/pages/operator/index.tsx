import type { ReactNode } from "react";
import { Navigate, Route, Routes } from "react-router";
import { useOperator } from "../../data/operator.ts";
import { signOut } from "../../data/session.ts";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FailureState } from "../../components/failure-state.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { ListSkeleton } from "../../components/skeleton.tsx";
import { getConfig } from "../../data/client.ts";
import { AuditList } from "./audit/audit-list.tsx";
import { LogPage } from "./logs/log-page.tsx";
import { MetricsPage } from "./metrics/metrics-page.tsx";
import { NodesPage } from "./nodes/nodes-page.tsx";
import { ProgramList } from "./programs/program-list.tsx";
import { ServicesPage } from "./services/services-page.tsx";
import { SettingsPage } from "./settings/settings-page.tsx";
import { TableList } from "./tables/table-list.tsx";
import { TablePage } from "./tables/table-page.tsx";
import { UserList } from "./users/user-list.tsx";
import { UserPage } from "./users/user-page.tsx";

export function OperatorPage() {
  return (
    <OperatorGate>
      <Routes>
        <Route index element={<Navigate to="/operator/users" replace />} />
        <Route path="users" element={<UserList />} />
        <Route path="users/:userId" element={<UserPage />} />
        <Route path="tables" element={<TableList />} />
        <Route path="tables/:schema/:table" element={<TablePage />} />
        <Route path="logs" element={<LogPage />} />
        <Route path="metrics" element={<MetricsPage />} />
        <Route path="nodes" element={<NodesPage />} />
        <Route path="services" element={<ServicesPage />} />
        <Route path="programs" element={<ProgramList />} />
        <Route path="settings" element={<SettingsPage />} />
        <Route path="audit" element={<AuditList />} />
        <Route path="*" element={<Navigate to="/operator/users" replace />} />
      </Routes>
    </OperatorGate>
  );
}

/** Says what the session lacks. The service decides; this only explains. */
function OperatorGate({ children }: { readonly children: ReactNode }) {
  const { rows: state, failure, reload } = useOperator();
  if (!getConfig().hasOperatorView || state?.lacks === "operator")
    return (
      <Notice title="This page is for operators">
        Operators are added on the command line of the service: swarmbase operators add.
      </Notice>
    );
  if (failure !== null)
    return <FailureState title="The page could not be loaded" message={failure.message} onRetry={reload} />;
  if (state === undefined) return <ListSkeleton />;
  switch (state.lacks) {
    case "second_factor":
      return (
        <Notice
          title="A second factor is needed"
          action={
            <ButtonLink to="/account/security" variant="primary">
              Add second factor
            </ButtonLink>
          }
        >
          Operators sign in with a code of an authenticator app. Add the app to your account, and come back.
        </Notice>
      );
    case "recent_sign_in":
      return (
        <Notice
          title="Sign in again"
          action={
            <Button variant="primary" onClick={() => void signOut()}>
              Sign in again
            </Button>
          }
        >
          Your last sign-in is too long ago for the calls of an operator. You come back to this page afterwards.
        </Notice>
      );
    default:
      return children;
  }
}

interface NoticeProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

function Notice({ title, children, action }: NoticeProps) {
  return (
    <>
      <PageHeader title="Operator" />
      <EmptyState picture="search" title={title} action={action}>
        {children}
      </EmptyState>
    </>
  );
}
