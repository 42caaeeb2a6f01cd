import { watchFirstStart } from "../../auth/index.ts";
import { type ConsoleModule, openConsole } from "../../console/index.ts";
import type { Route } from "../../http/index.ts";
import type { OpenNodeContext } from "../node-context.ts";
import type { Services } from "../services/services.ts";

/** What extensions serve and the console links to, if they are loaded: a page, or the API behind a page of the console. */
const LINKED_PAGES = ["reference", "docs", "operator"] as const;

/** Null on a node without the role `api`, or with `CONSOLE=false`. */
export function openConsoleModule(
  context: OpenNodeContext,
  { auth, agents: { providerNames } }: Pick<Services, "auth" | "agents">,
  { routes, anonKey }: { readonly routes: readonly Route[]; readonly anonKey: string },
): ConsoleModule | null {
  const { settings, copyHold, closers } = context;
  if (!settings.console || !settings.roles.includes("api")) return null;
  const mail = settings.smtpUrl === null ? "file" : "smtp";
  const links = LINKED_PAGES.filter((name) =>
    routes.some(({ path }) => path === `/${name}` || path.startsWith(`/${name}/v1/`)),
  );
  const isHeldCopy = (): boolean => copyHold.isHeld;
  const isFirstStart = watchFirstStart(auth);
  const consoleModule = openConsole({ ...context, anonKey, mail, links, isHeldCopy, isFirstStart, providerNames });
  closers.add("console", () => consoleModule.close());
  return consoleModule;
}
