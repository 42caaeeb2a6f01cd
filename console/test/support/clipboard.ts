import type { Page } from "playwright-core";
import { waitUntil } from "./swarms.ts";

/** Waits until the clipboard has the expected text, because copying completes after the click. */
export async function readClipboard(page: Page, expected: string | RegExp): Promise<string> {
  let found = "";
  await waitUntil(async () => {
    found = await page.evaluate(() => navigator.clipboard.readText());
    return typeof expected === "string" ? found === expected : expected.test(found);
  });
  return found;
}
