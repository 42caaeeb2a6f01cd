import { after, before, type TestContext, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchBrowser } from "./browser.ts";
import { type Instance, type InstanceSettings, startInstance } from "./instance.ts";
import { type Troubles, watchTroubles } from "./troubles.ts";

/** The two widths that every scene is made for. */
export const WIDE = 1440;
export const NARROW = 360;

export interface PageOptions {
  readonly width?: number;
  readonly theme?: "light" | "dark";
  /** Messages of the browser that the test brings about itself: a refused request, a lost connection. */
  readonly expected?: readonly RegExp[];
}

export interface Stage {
  readonly instance: Instance;
  /** A page of a visitor of its own. Errors on it, and violations of its policy, fail the test. */
  openPage(t: TestContext, options?: PageOptions): Promise<Page>;
}

export type StagedTest = (t: TestContext, stage: Stage) => Promise<void>;

const HEIGHT = { [WIDE]: 900, [NARROW]: 740 } as Readonly<Record<number, number>>;
const ACTION_MS = 15_000;

/** For a file of browser tests: one instance, one browser, and a `test` that skips, saying why, where no browser runs. */
export function setStage(settings: InstanceSettings = {}): (name: string, run: StagedTest) => void {
  let instance: Instance | null = null;
  let browser: Browser | null = null;
  let reason = "";
  before(async () => {
    const launched = await launchBrowser();
    if ("reason" in launched) {
      reason = launched.reason;
      return;
    }
    browser = launched.browser;
    instance = await startInstance(settings);
  });
  after(async () => {
    await browser?.close();
    await instance?.stop();
  });
  return (name, run) =>
    void test(name, async (t) => {
      if (browser === null || instance === null) return t.skip(reason);
      const [openBrowser, openInstance] = [browser, instance];
      await run(t, {
        instance: openInstance,
        openPage: (context, options) => openPage(context, openBrowser, openInstance, options),
      });
    });
}

async function openPage(
  t: TestContext,
  browser: Browser,
  instance: Instance,
  options: PageOptions = {},
): Promise<Page> {
  const { width = WIDE, theme = "light", expected = [] } = options;
  const context: BrowserContext = await browser.newContext({
    baseURL: instance.url,
    // The authority of the instance is made for it alone; no browser knows it.
    ignoreHTTPSErrors: true,
    viewport: { width, height: HEIGHT[width] ?? 800 },
    colorScheme: theme,
    reducedMotion: "reduce",
    locale: "en-GB",
    hasTouch: width === NARROW,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  context.setDefaultTimeout(ACTION_MS);
  const page = await context.newPage();
  const troubles: Troubles = await watchTroubles(page, expected);
  t.after(async () => {
    await context.close();
    troubles.assertNone();
  });
  return page;
}
