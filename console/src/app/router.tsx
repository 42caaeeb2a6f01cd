import { createBrowserRouter } from "react-router";
import { PageSkeleton } from "../parts/skeleton.tsx";
import { SceneFailure } from "./error-boundary.tsx";
import { Shell } from "./shell.tsx";

/** Each noun is a scene, loaded when it is first gone to. What lies below `/agents/` is for the scene itself to route. */
export const router = createBrowserRouter([
  {
    path: "/",
    Component: Shell,
    children: [
      {
        ErrorBoundary: SceneFailure,
        HydrateFallback: PageSkeleton,
        children: [
          { index: true, lazy: async () => ({ Component: (await import("../scenes/home/index.tsx")).HomeScene }) },
          {
            path: "agents/*",
            lazy: async () => ({ Component: (await import("../scenes/agents/index.tsx")).AgentsScene }),
          },
          {
            path: "swarms/*",
            lazy: async () => ({ Component: (await import("../scenes/swarms/index.tsx")).SwarmsScene }),
          },
          {
            path: "invitations/*",
            lazy: async () => ({ Component: (await import("../scenes/invitations/index.tsx")).InvitationsScene }),
          },
          {
            path: "tools/*",
            lazy: async () => ({ Component: (await import("../scenes/tools/index.tsx")).ToolsScene }),
          },
          {
            path: "webhooks/*",
            lazy: async () => ({ Component: (await import("../scenes/webhooks/index.tsx")).WebhooksScene }),
          },
          {
            path: "events/*",
            lazy: async () => ({ Component: (await import("../scenes/events/index.tsx")).EventsScene }),
          },
          {
            path: "usage/*",
            lazy: async () => ({ Component: (await import("../scenes/usage/index.tsx")).UsageScene }),
          },
          { path: "api/*", lazy: async () => ({ Component: (await import("../scenes/api/index.tsx")).ApiScene }) },
          {
            path: "account/*",
            lazy: async () => ({ Component: (await import("../scenes/account/index.tsx")).AccountScene }),
          },
          { path: "*", lazy: async () => ({ Component: (await import("../scenes/lost/index.tsx")).LostScene }) },
        ],
      },
    ],
  },
  {
    ErrorBoundary: SceneFailure,
    HydrateFallback: () => null,
    lazy: async () => ({ Component: (await import("../scenes/entry/entry-layout.tsx")).EntryLayout }),
    children: [
      { path: "sign-in", lazy: async () => ({ Component: (await import("../scenes/entry/sign-in.tsx")).SignIn }) },
      { path: "sign-up", lazy: async () => ({ Component: (await import("../scenes/entry/sign-up.tsx")).SignUp }) },
      {
        path: "magic-link",
        lazy: async () => ({ Component: (await import("../scenes/entry/magic-link.tsx")).MagicLink }),
      },
      { path: "recover", lazy: async () => ({ Component: (await import("../scenes/entry/recover.tsx")).Recover }) },
      {
        path: "new-password",
        lazy: async () => ({ Component: (await import("../scenes/entry/new-password.tsx")).NewPassword }),
      },
      {
        path: "second-factor",
        lazy: async () => ({ Component: (await import("../scenes/entry/second-factor.tsx")).SecondFactor }),
      },
      { path: "welcome", lazy: async () => ({ Component: (await import("../scenes/entry/welcome.tsx")).Welcome }) },
    ],
  },
]);
