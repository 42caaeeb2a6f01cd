import { after, before, type TestContext, type TestOptions, test } from "node:test";
import type { Page } from "playwright-core";
import { type Launched, launchBrowser } from "./browser.ts";
import { type Instance, type InstanceSettings, startInstance } from "./instance.ts";
import { type BrowserErrors, collectBrowserErrors } from "./browser-errors.ts";
import { WAIT_MS } from "../../../server/test/support/wait-limit.ts";
import { openContexts, type Contexts } from "./browser-contexts.ts";

/** The two widths that every page supports. */
export const WIDE = 1440;
export const NARROW = 360;

interface PageOptions {
  readonly width?: number;
  readonly theme?: "light" | "dark";
  /** Browser errors that the test causes: a rejected request, a lost connection. */
  readonly expected?: readonly RegExp[];
}

interface TestEnvironment {
  readonly instance: Instance;
  /** A page of a api of its own. Errors on it, and violations of its policy, fail the test. */
  openPage(t: TestContext, options?: PageOptions): Promise<Page>;
}

export type BrowserTest = (t: TestContext, environment: TestEnvironment) => Promise<void>;

const HEIGHT = { [WIDE]: 900, [NARROW]: 740 } as Readonly<Record<number, number>>;
/** The pages of a context share a renderer process, which the next context reuses. A larger young generation saves a sixth of its time. */
const QUICK = ["--renderer-process-limit=1", "--js-flags=--min-semi-space-size=64"];

/** The files of one process share the browser, and the contexts of a shared instance. */
let openFiles = 0;
let launching: Promise<Launched> | null = null;
const contextsByUrl = new Map<string, Contexts>();

/** Returns a `test` function for browser tests. It starts an instance and a browser, and skips with a reason if there is no browser. */
export function createBrowserTest(
  settings: InstanceSettings = {},
): (name: string, run: BrowserTest, options?: TestOptions) => void {
  let instance: Instance | null = null;
  let contexts: Contexts | null = null;
  let reason = "";
  openFiles += 1;
  before(async () => {
    launching ??= launchBrowser(QUICK);
    const launched = await launching;
    if ("reason" in launched) {
      reason = launched.reason;
      return;
    }
    instance = await startInstance(settings);
    contexts = contextsByUrl.get(instance.url) ?? openContexts(launched.browser, instance);
    contextsByUrl.set(instance.url, contexts);
  });
  after(async () => {
    openFiles -= 1;
    if (openFiles === 0) await closeBrowser();
    await instance?.stop();
  });
  return (name, run, options = {}) =>
    void test(name, options, async (t) => {
      if (instance === null || contexts === null) return t.skip(reason);
      const known = contexts;
      await run(t, { instance, openPage: (context, options) => openPage(context, known, options) });
    });
}

async function closeBrowser(): Promise<void> {
  const launched = await launching;
  launching = null;
  contextsByUrl.clear();
  if (launched !== null && "browser" in launched) await launched.browser.close();
}

async function openPage(t: TestContext, contexts: Contexts, options: PageOptions = {}): Promise<Page> {
  const { width = WIDE, theme = "light", expected = [] } = options;
  const lease = await contexts.lease({ width, height: HEIGHT[width] ?? 800, hasTouch: width === NARROW });
  const page = await lease.context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  await page.emulateMedia({ colorScheme: theme });
  const errors: BrowserErrors = await collectBrowserErrors(page, expected);
  t.after(async () => {
    await contexts.release(lease);
    errors.assertNone();
  });
  return page;
}
