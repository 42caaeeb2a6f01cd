import { createBrowserRouter } from "react-router";
import { PageSkeleton } from "../components/skeleton.tsx";
import { PageFailure } from "./error-boundary.tsx";
import { Shell } from "./shell.tsx";

/** One lazily loaded page per noun. Each page routes the paths below its own. */
export const router = createBrowserRouter([
  {
    path: "/",
    Component: Shell,
    children: [
      {
        ErrorBoundary: PageFailure,
        HydrateFallback: PageSkeleton,
        children: [
          { index: true, lazy: async () => ({ Component: (await import("../pages/home/index.tsx")).HomePage }) },
          {
            path: "agents/*",
            lazy: async () => ({ Component: (await import("../pages/agents/index.tsx")).AgentsPage }),
          },
          {
            path: "swarms/*",
            lazy: async () => ({ Component: (await import("../pages/swarms/index.tsx")).SwarmsPage }),
          },
          {
            path: "approvals",
            lazy: async () => ({ Component: (await import("../pages/approvals/index.tsx")).ApprovalsPage }),
          },
          {
            path: "runs/*",
            lazy: async () => ({ Component: (await import("../pages/runs/index.tsx")).RunsPage }),
          },
          {
            path: "invitations/*",
            lazy: async () => ({ Component: (await import("../pages/invitations/index.tsx")).InvitationsPage }),
          },
          {
            path: "tools/*",
            lazy: async () => ({ Component: (await import("../pages/tools/index.tsx")).ToolsPage }),
          },
          {
            path: "webhooks/*",
            lazy: async () => ({ Component: (await import("../pages/webhooks/index.tsx")).WebhooksPage }),
          },
          {
            path: "events/*",
            lazy: async () => ({ Component: (await import("../pages/events/index.tsx")).EventsPage }),
          },
          {
            path: "evals/*",
            lazy: async () => ({ Component: (await import("../pages/evals/index.tsx")).EvalsPage }),
          },
          {
            path: "guardrails/*",
            lazy: async () => ({ Component: (await import("../pages/guardrails/index.tsx")).GuardrailsPage }),
          },
          {
            path: "usage/*",
            lazy: async () => ({ Component: (await import("../pages/usage/index.tsx")).UsagePage }),
          },
          { path: "api/*", lazy: async () => ({ Component: (await import("../pages/api/index.tsx")).ApiPage }) },
          {
            path: "account/*",
            lazy: async () => ({ Component: (await import("../pages/account/index.tsx")).AccountPage }),
          },
          {
            path: "operator/*",
            lazy: async () => ({ Component: (await import("../pages/operator/index.tsx")).OperatorPage }),
          },
          { path: "*", lazy: async () => ({ Component: (await import("../pages/not-found/index.tsx")).NotFoundPage }) },
        ],
      },
    ],
  },
  {
    ErrorBoundary: PageFailure,
    HydrateFallback: () => null,
    lazy: async () => ({ Component: (await import("../pages/entry/entry-layout.tsx")).EntryLayout }),
    children: [
      { path: "sign-in", lazy: async () => ({ Component: (await import("../pages/entry/sign-in.tsx")).SignIn }) },
      { path: "sign-up", lazy: async () => ({ Component: (await import("../pages/entry/sign-up.tsx")).SignUp }) },
      {
        path: "magic-link",
        lazy: async () => ({ Component: (await import("../pages/entry/magic-link.tsx")).MagicLink }),
      },
      { path: "recover", lazy: async () => ({ Component: (await import("../pages/entry/recover.tsx")).Recover }) },
      {
        path: "new-password",
        lazy: async () => ({ Component: (await import("../pages/entry/new-password.tsx")).NewPassword }),
      },
      {
        path: "second-factor",
        lazy: async () => ({ Component: (await import("../pages/entry/second-factor.tsx")).SecondFactor }),
      },
      { path: "welcome", lazy: async () => ({ Component: (await import("../pages/entry/welcome.tsx")).Welcome }) },
    ],
  },
]);
