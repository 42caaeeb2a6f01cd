import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { Suspense } from "react";
import { RouterProvider } from "react-router/dom";
import { getConfig } from "../data/client.ts";
import { CodeValuesContext } from "../components/code-values.ts";
import { CommandsRoot } from "../components/commands.tsx";
import { ToastRoot } from "../components/toast.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { router } from "./router.tsx";
import { Starting } from "./starting.tsx";

export function App({ queries }: { readonly queries: QueryClient }) {
  return (
    <ErrorBoundary>
      <QueryClientProvider client={queries}>
        <ToastRoot>
          <CodeValuesContext value={getConfig()}>
            <CommandsRoot>
              <Suspense fallback={<Starting />}>
                <RouterProvider router={router} />
              </Suspense>
            </CommandsRoot>
          </CodeValuesContext>
        </ToastRoot>
      </QueryClientProvider>
    </ErrorBoundary>
  );
}
