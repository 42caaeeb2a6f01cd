import { setTimeout as wait } from "node:timers/promises";
import type { Page } from "playwright-core";

const POLL_MS = 50;

/** Asks again for what fails, sees that it is asked for, and lets the next time succeed. */
export async function tryAgain(page: Page, failing: string): Promise<void> {
  const button = page.getByRole("button", { name: "Try again" });
  const askedAgain = page.waitForRequest(failing);
  await button.click();
  await askedAgain;
  await page.unroute(failing);
  let isAsked = false;
  const asked = page.waitForRequest(failing).then(() => {
    isAsked = true;
  });
  // A list that is live also loads by itself once it hears of changes, so that the button comes and goes: it is pressed if it is there.
  while (!isAsked) {
    await button.evaluateAll((found) => {
      for (const element of found) (element as HTMLElement).click();
    });
    await Promise.race([asked, wait(POLL_MS)]);
  }
}
