import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Instance } from "./instance.ts";

interface Screen {
  readonly width: number;
  readonly height: number;
  readonly hasTouch: boolean;
}

/** A context whose first page stays open: it keeps the renderer process alive and can access the storage of the others. */
interface LeasedContext {
  readonly context: BrowserContext;
  readonly width: number;
}

export interface Contexts {
  /** Returns a context with empty storage. */
  lease(screen: Screen): Promise<LeasedContext>;
  /** Clears the context and makes it available again. */
  release(lease: LeasedContext): Promise<void>;
}

const STORED_SESSION = "swarmbase.session";

/** Reuses contexts, because a new one starts a process and loads the whole console, which takes longer than most tests. */
export function openContexts(browser: Browser, instance: Instance): Contexts {
  const free: LeasedContext[] = [];
  return {
    lease: async ({ width, height, hasTouch }) => {
      const known = free.findIndex((lease) => lease.width === width);
      const [reused] = known === -1 ? [] : free.splice(known, 1);
      if (reused !== undefined) return reused;
      const context = await browser.newContext({
        baseURL: instance.url,
        // The CA certificate of the instance is self-signed.
        ignoreHTTPSErrors: true,
        viewport: { width, height },
        reducedMotion: "reduce",
        locale: "en-GB",
        hasTouch,
        permissions: ["clipboard-read", "clipboard-write"],
      });
      const first = await context.newPage();
      await first.goto("/health");
      return { context, width };
    },
    release: async (lease) => {
      const { context } = lease;
      const [first, ...others] = context.pages();
      for (const page of others) await page.close();
      await context.setOffline(false);
      await context.clearCookies();
      await first?.evaluate(() => localStorage.clear());
      free.push(lease);
    },
  };
}

/** Reads the stored session of the context. */
export async function readSession(page: Page): Promise<{ access_token: string; user: { id: string } }> {
  const stored = await firstPage(page).evaluate((key) => localStorage.getItem(key), STORED_SESSION);
  return JSON.parse(stored ?? "{}") as { access_token: string; user: { id: string } };
}

export async function storeSession(page: Page, session: unknown): Promise<void> {
  const item = [STORED_SESSION, JSON.stringify(session)] as const;
  await firstPage(page).evaluate(([key, value]) => localStorage.setItem(key, value), item);
}

function firstPage(page: Page): Page {
  return page.context().pages()[0] ?? page;
}
