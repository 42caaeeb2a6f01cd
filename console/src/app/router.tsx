import { type ComponentType, Suspense } from "react";
import { createBrowserRouter, Navigate, type RouteObject, useLocation } from "react-router";
import { isFirstStart, useSessionState } from "../data/session.ts";
import { PageFailure } from "./error-boundary.tsx";
import { lazyPage } from "./lazy-page.ts";
import { Starting } from "./starting.tsx";

const ofUser = (load: () => Promise<ComponentType>) => lazyPage({ load, needsSession: true });
const ofVisitor = (load: () => Promise<ComponentType>) => lazyPage({ load, needsSession: false });
const Shell = ofUser(async () => (await import("./shell.tsx")).Shell);
const BareShell = ofUser(async () => (await import("./bare-shell.tsx")).BareShell);

/** One lazily loaded page per noun. Each page routes the paths below its own. */
const ROUTES: RouteObject[] = [
  {
    path: "/",
    ErrorBoundary: PageFailure,
    HydrateFallback: Starting,
    loader: Shell.loader,
    shouldRevalidate: Shell.shouldRevalidate,
    element: <SessionGuard Shell={Shell.Component} />,
    children: [
      {
        ErrorBoundary: PageFailure,
        children: [
          { index: true, ...ofUser(async () => (await import("../pages/home/index.tsx")).HomePage) },
          {
            path: "agents/*",
            ...ofUser(async () => (await import("../pages/agents/index.tsx")).AgentsPage),
          },
          {
            path: "for-you/*",
            ...ofUser(async () => (await import("../pages/for-you/index.tsx")).ForYouPage),
          },
          {
            path: "playground",
            ...ofUser(async () => (await import("../pages/agents/playground/index.tsx")).PlaygroundPage),
          },
          {
            path: "swarms/*",
            ...ofUser(async () => (await import("../pages/swarms/index.tsx")).SwarmsPage),
          },
          {
            path: "approvals",
            ...ofUser(async () => (await import("../pages/approvals/index.tsx")).ApprovalsPage),
          },
          {
            path: "runs/*",
            ...ofUser(async () => (await import("../pages/runs/index.tsx")).RunsPage),
          },
          {
            path: "schedules/*",
            ...ofUser(async () => (await import("../pages/starts/schedules/index.tsx")).SchedulesPage),
          },
          {
            path: "triggers/*",
            ...ofUser(async () => (await import("../pages/starts/triggers/index.tsx")).TriggersPage),
          },
          {
            path: "invitations/*",
            ...ofUser(async () => (await import("../pages/invitations/index.tsx")).InvitationsPage),
          },
          {
            path: "tools/*",
            ...ofUser(async () => (await import("../pages/tools/index.tsx")).ToolsPage),
          },
          {
            path: "webhooks/*",
            ...ofUser(async () => (await import("../pages/webhooks/index.tsx")).WebhooksPage),
          },
          {
            path: "events/*",
            ...ofUser(async () => (await import("../pages/events/index.tsx")).EventsPage),
          },
          {
            path: "evals/*",
            ...ofUser(async () => (await import("../pages/evals/index.tsx")).EvalsPage),
          },
          {
            path: "guardrails/*",
            ...ofUser(async () => (await import("../pages/guardrails/index.tsx")).GuardrailsPage),
          },
          {
            path: "usage/*",
            ...ofUser(async () => (await import("../pages/usage/index.tsx")).UsagePage),
          },
          {
            path: "api/*",
            ...ofUser(async () => (await import("../pages/api/index.tsx")).ApiPage),
          },
          {
            path: "account/*",
            ...ofUser(async () => (await import("../pages/account/index.tsx")).AccountPage),
          },
          {
            path: "operator/*",
            ...ofUser(async () => (await import("../pages/operator/index.tsx")).OperatorPage),
          },
          {
            path: "*",
            ...ofUser(async () => (await import("../pages/not-found/index.tsx")).NotFoundPage),
          },
        ],
      },
    ],
  },
  {
    path: "/oauth/consent",
    ErrorBoundary: PageFailure,
    HydrateFallback: Starting,
    loader: BareShell.loader,
    shouldRevalidate: BareShell.shouldRevalidate,
    element: <SessionGuard Shell={BareShell.Component} />,
    children: [{ index: true, ...ofUser(async () => (await import("../pages/consent/index.tsx")).ConsentPage) }],
  },
  {
    ErrorBoundary: PageFailure,
    HydrateFallback: Starting,
    ...ofVisitor(async () => (await import("../pages/entry/entry-layout.tsx")).EntryLayout),
    children: [
      {
        path: "sign-in",
        ...ofVisitor(async () => (await import("../pages/entry/sign-in.tsx")).SignIn),
      },
      {
        path: "sign-up",
        ...ofVisitor(async () => (await import("../pages/entry/sign-up.tsx")).SignUp),
      },
      {
        path: "magic-link",
        ...ofVisitor(async () => (await import("../pages/entry/magic-link.tsx")).MagicLink),
      },
      {
        path: "recover",
        ...ofVisitor(async () => (await import("../pages/entry/recover.tsx")).Recover),
      },
      {
        path: "new-password",
        ...ofVisitor(async () => (await import("../pages/entry/new-password.tsx")).NewPassword),
      },
      {
        path: "second-factor",
        ...ofVisitor(async () => (await import("../pages/entry/second-factor.tsx")).SecondFactor),
      },
      {
        path: "welcome",
        ...ofVisitor(async () => (await import("../pages/entry/welcome.tsx")).Welcome),
      },
    ],
  },
];

/** Begins to load the page of the address, so call it when the session is known. */
export function createRouter(): ReturnType<typeof createBrowserRouter> {
  return createBrowserRouter(ROUTES);
}

/** Redirects users who are not signed in to the sign-in page, which redirects them back. */
function SessionGuard({ Shell }: { readonly Shell: ComponentType }) {
  const { session, needsSecondFactor, isRecovering } = useSessionState();
  const location = useLocation();
  const from = `${location.pathname}${location.search}${location.hash}`;
  if (needsSecondFactor) return <Navigate to="/second-factor" replace state={{ from }} />;
  if (isRecovering) return <Navigate to="/new-password" replace />;
  if (session === null) return <Navigate to={isFirstStart() ? "/sign-up" : "/sign-in"} replace state={{ from }} />;
  return (
    <Suspense fallback={<Starting />}>
      <Shell />
    </Suspense>
  );
}
