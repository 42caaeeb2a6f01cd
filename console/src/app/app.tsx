import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "react-router/dom";
import { getConfig } from "../data/client.ts";
import { CodeValuesContext } from "../components/code-values.ts";
import { CommandsRoot } from "../components/commands.tsx";
import { ToastRoot } from "../components/toast.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import type { createRouter } from "./router.tsx";

interface AppProps {
  readonly queries: QueryClient;
  readonly router: ReturnType<typeof createRouter>;
}

export function App({ queries, router }: AppProps) {
  return (
    <ErrorBoundary>
      <QueryClientProvider client={queries}>
        <ToastRoot>
          <CodeValuesContext value={getConfig()}>
            <CommandsRoot>
              <RouterProvider router={router} />
            </CommandsRoot>
          </CodeValuesContext>
        </ToastRoot>
      </QueryClientProvider>
    </ErrorBoundary>
  );
}
