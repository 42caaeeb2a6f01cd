import type { Page } from "playwright-core";

/** Nothing happens periodically on the page, so that what it shows comes from realtime. Call before the page is opened. */
export async function stopPolling(page: Page): Promise<void> {
  await page.addInitScript("window.setInterval = () => 0;");
}
