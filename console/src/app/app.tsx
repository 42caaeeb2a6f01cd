import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "react-router/dom";
import { getConfig } from "../data/client.ts";
import { CodeValuesContext } from "../components/code-values.ts";
import { CommandsRoot } from "../components/commands.tsx";
import { ToastRoot } from "../components/toast.tsx";
import { TooltipRoot } from "../components/tooltip.tsx";
import { ErrorBoundary } from "./error-boundary.tsx";
import { router } from "./router.tsx";

export function App({ queries }: { readonly queries: QueryClient }) {
  return (
    <ErrorBoundary>
      <QueryClientProvider client={queries}>
        <TooltipRoot>
          <ToastRoot>
            <CodeValuesContext value={getConfig()}>
              <CommandsRoot>
                <RouterProvider router={router} />
              </CommandsRoot>
            </CodeValuesContext>
          </ToastRoot>
        </TooltipRoot>
      </QueryClientProvider>
    </ErrorBoundary>
  );
}
