import type { Browser, BrowserContext } from "playwright-core";

export interface Load {
  /** From the start of the navigation until the first heading is shown, when the page is usable. */
  readonly readyMs: number;
  /** Bytes over the network, compressed. */
  readonly bytes: number;
  readonly requests: number;
}

/** Loads a page this many times, each time with an empty cache. */
export async function measureLoads(browser: Browser, url: string, count: number): Promise<readonly Load[]> {
  const loads: Load[] = [];
  for (let at = 0; at < count; at += 1) {
    const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: "en-GB" });
    try {
      loads.push(await measureLoad(context, url));
    } finally {
      await context.close();
    }
  }
  return loads;
}

/** Runs in the page. */
const WATCH = `
  const watch = new MutationObserver(() => {
    if (document.querySelector("h1") === null) return;
    watch.disconnect();
    performance.mark("ready");
  });
  watch.observe(document, { childList: true, subtree: true });
`;
const READ = `(() => {
  const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  return {
    readyMs: performance.getEntriesByName("ready")[0].startTime,
    bytes: entries.reduce((sum, entry) => sum + entry.encodedBodySize, 0),
    requests: entries.length,
  };
})()`;

async function measureLoad(context: BrowserContext, url: string): Promise<Load> {
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  await page.goto(url);
  await page.locator("h1").waitFor();
  return page.evaluate<Load>(READ);
}
