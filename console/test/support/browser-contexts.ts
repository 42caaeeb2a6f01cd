import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Instance } from "./instance.ts";

interface Screen {
  readonly width: number;
  readonly height: number;
  readonly hasTouch: boolean;
}

/** A context whose first page shows nothing and stays: it keeps the process of the others alive, and reaches what they store. */
interface Seat {
  readonly context: BrowserContext;
  readonly width: number;
}

export interface Visitors {
  /** A context that stores nothing yet. */
  seat(screen: Screen): Promise<Seat>;
  /** Gives it to the next visitor, who finds no trace of this one. */
  leave(seat: Seat): Promise<void>;
}

const STORED_SESSION = "swarmbase.session";

/** Every new context starts a process and reads the whole console again, which costs more than most tests do on it. */
export function openVisitors(browser: Browser, instance: Instance): Visitors {
  const free: Seat[] = [];
  return {
    seat: async ({ width, height, hasTouch }) => {
      const known = free.findIndex((seat) => seat.width === width);
      const [taken] = known === -1 ? [] : free.splice(known, 1);
      if (taken !== undefined) return taken;
      const context = await browser.newContext({
        baseURL: instance.url,
        // The authority of the instance is made for it alone; no browser knows it.
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
    leave: async (seat) => {
      const { context } = seat;
      const [first, ...others] = context.pages();
      for (const page of others) await page.close();
      await context.setOffline(false);
      await context.clearCookies();
      await first?.evaluate(() => localStorage.clear());
      free.push(seat);
    },
  };
}

/** As the page of this visitor has stored it, or will find it. */
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
