import { createBrowserRouter, matchRoutes, type RouteObject } from "react-router";
import { PageFailure } from "./error-boundary.tsx";
import { lazyPage, startLoading } from "./lazy-page.ts";
import { SessionGuard } from "./session-guard.tsx";

/**
 * One lazily loaded page per noun. Each page routes the paths below its own. A page is loaded when it is rendered, below the guard:
 * a visitor who is not signed in loads the sign-in page and nothing else.
 */
const ROUTES: RouteObject[] = [
  {
    path: "/",
    Component: SessionGuard,
    children: [
      {
        ErrorBoundary: PageFailure,
        children: [
          { index: true, Component: lazyPage(async () => (await import("../pages/home/index.tsx")).HomePage) },
          {
            path: "agents/*",
            Component: lazyPage(async () => (await import("../pages/agents/index.tsx")).AgentsPage),
          },
          {
            path: "playground",
            Component: lazyPage(async () => (await import("../pages/agents/playground/index.tsx")).PlaygroundPage),
          },
          {
            path: "swarms/*",
            Component: lazyPage(async () => (await import("../pages/swarms/index.tsx")).SwarmsPage),
          },
          {
            path: "approvals",
            Component: lazyPage(async () => (await import("../pages/approvals/index.tsx")).ApprovalsPage),
          },
          {
            path: "runs/*",
            Component: lazyPage(async () => (await import("../pages/runs/index.tsx")).RunsPage),
          },
          {
            path: "invitations/*",
            Component: lazyPage(async () => (await import("../pages/invitations/index.tsx")).InvitationsPage),
          },
          {
            path: "tools/*",
            Component: lazyPage(async () => (await import("../pages/tools/index.tsx")).ToolsPage),
          },
          {
            path: "webhooks/*",
            Component: lazyPage(async () => (await import("../pages/webhooks/index.tsx")).WebhooksPage),
          },
          {
            path: "events/*",
            Component: lazyPage(async () => (await import("../pages/events/index.tsx")).EventsPage),
          },
          {
            path: "evals/*",
            Component: lazyPage(async () => (await import("../pages/evals/index.tsx")).EvalsPage),
          },
          {
            path: "guardrails/*",
            Component: lazyPage(async () => (await import("../pages/guardrails/index.tsx")).GuardrailsPage),
          },
          {
            path: "usage/*",
            Component: lazyPage(async () => (await import("../pages/usage/index.tsx")).UsagePage),
          },
          {
            path: "api/*",
            Component: lazyPage(async () => (await import("../pages/api/index.tsx")).ApiPage),
          },
          {
            path: "account/*",
            Component: lazyPage(async () => (await import("../pages/account/index.tsx")).AccountPage),
          },
          {
            path: "operator/*",
            Component: lazyPage(async () => (await import("../pages/operator/index.tsx")).OperatorPage),
          },
          {
            path: "*",
            Component: lazyPage(async () => (await import("../pages/not-found/index.tsx")).NotFoundPage),
          },
        ],
      },
    ],
  },
  {
    ErrorBoundary: PageFailure,
    Component: lazyPage(async () => (await import("../pages/entry/entry-layout.tsx")).EntryLayout),
    children: [
      {
        path: "sign-in",
        Component: lazyPage(async () => (await import("../pages/entry/sign-in.tsx")).SignIn),
      },
      {
        path: "sign-up",
        Component: lazyPage(async () => (await import("../pages/entry/sign-up.tsx")).SignUp),
      },
      {
        path: "magic-link",
        Component: lazyPage(async () => (await import("../pages/entry/magic-link.tsx")).MagicLink),
      },
      {
        path: "recover",
        Component: lazyPage(async () => (await import("../pages/entry/recover.tsx")).Recover),
      },
      {
        path: "new-password",
        Component: lazyPage(async () => (await import("../pages/entry/new-password.tsx")).NewPassword),
      },
      {
        path: "second-factor",
        Component: lazyPage(async () => (await import("../pages/entry/second-factor.tsx")).SecondFactor),
      },
      {
        path: "welcome",
        Component: lazyPage(async () => (await import("../pages/entry/welcome.tsx")).Welcome),
      },
    ],
  },
];

export const router = createBrowserRouter(ROUTES);

/** Loads the files of the page at the address while those of the shell are loading. */
export function loadCurrentPage(): void {
  for (const { route } of matchRoutes(ROUTES, location) ?? []) startLoading(route.Component);
}
