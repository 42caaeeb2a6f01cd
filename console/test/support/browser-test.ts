import { after, before, type TestContext, type TestOptions, test } from "node:test";
import type { Page } from "playwright-core";
import { type Launched, launchBrowser } from "./browser.ts";
import { type Instance, type InstanceSettings, startInstance } from "./instance.ts";
import { type Troubles, watchTroubles } from "./troubles.ts";
import { openVisitors, type Visitors } from "./visitors.ts";

/** The two widths that every page is made for. */
export const WIDE = 1440;
export const NARROW = 360;

interface PageOptions {
  readonly width?: number;
  readonly theme?: "light" | "dark";
  /** Messages of the browser that the test brings about itself: a refused request, a lost connection. */
  readonly expected?: readonly RegExp[];
}

interface Stage {
  readonly instance: Instance;
  /** A page of a visitor of its own. Errors on it, and violations of its policy, fail the test. */
  openPage(t: TestContext, options?: PageOptions): Promise<Page>;
}

export type StagedTest = (t: TestContext, stage: Stage) => Promise<void>;

const HEIGHT = { [WIDE]: 900, [NARROW]: 740 } as Readonly<Record<number, number>>;
/** Long enough for a machine that does other things meanwhile. */
const ACTION_MS = 60_000;
/** The pages of a visitor share a process, which the next visitor goes on with. A larger young generation saves a sixth of its work. */
const QUICK = ["--renderer-process-limit=1", "--js-flags=--min-semi-space-size=64"];

/** Files of one process have the browser in common, and the visitors of an instance that they share. */
let openStages = 0;
let launching: Promise<Launched> | null = null;
const seated = new Map<string, Visitors>();

/** For a file of browser tests: an instance, a browser, and a `test` that skips, saying why, where no browser runs. */
export function setStage(
  settings: InstanceSettings = {},
): (name: string, run: StagedTest, options?: TestOptions) => void {
  let instance: Instance | null = null;
  let visitors: Visitors | null = null;
  let reason = "";
  openStages += 1;
  before(async () => {
    launching ??= launchBrowser(QUICK);
    const launched = await launching;
    if ("reason" in launched) {
      reason = launched.reason;
      return;
    }
    instance = await startInstance(settings);
    visitors = seated.get(instance.url) ?? openVisitors(launched.browser, instance);
    seated.set(instance.url, visitors);
  });
  after(async () => {
    openStages -= 1;
    if (openStages === 0) await closeBrowser();
    await instance?.stop();
  });
  return (name, run, options = {}) =>
    void test(name, options, async (t) => {
      if (instance === null || visitors === null) return t.skip(reason);
      const known = visitors;
      await run(t, { instance, openPage: (context, options) => openPage(context, known, options) });
    });
}

async function closeBrowser(): Promise<void> {
  const launched = await launching;
  launching = null;
  seated.clear();
  if (launched !== null && "browser" in launched) await launched.browser.close();
}

async function openPage(t: TestContext, visitors: Visitors, options: PageOptions = {}): Promise<Page> {
  const { width = WIDE, theme = "light", expected = [] } = options;
  const seat = await visitors.seat({ width, height: HEIGHT[width] ?? 800, hasTouch: width === NARROW });
  const page = await seat.context.newPage();
  page.setDefaultTimeout(ACTION_MS);
  await page.emulateMedia({ colorScheme: theme });
  const troubles: Troubles = await watchTroubles(page, expected);
  t.after(async () => {
    await visitors.leave(seat);
    troubles.assertNone();
  });
  return page;
}
