import type { Page } from "playwright-core";
import { waitUntil } from "./rooms.ts";

/** The text that was copied, once it is the one that is waited for: a page that copies is not done when its button is. */
export async function readClipboard(page: Page, wanted: string | RegExp): Promise<string> {
  let found = "";
  await waitUntil(async () => {
    found = await page.evaluate(() => navigator.clipboard.readText());
    return typeof wanted === "string" ? found === wanted : wanted.test(found);
  });
  return found;
}
