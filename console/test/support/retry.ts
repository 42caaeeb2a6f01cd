import type { Locator, Page } from "playwright-core";

const FIRST_PATIENCE_MS = 1_000;
const MOST_PATIENCE_MS = 32_000;

/** Asks again for what fails, sees that it is asked for, and lets the next time succeed: then `good` is there. */
export async function tryAgain(page: Page, failing: string, good: Locator): Promise<void> {
  const button = page.getByRole("button", { name: "Try again" });
  const askedAgain = page.waitForRequest(failing);
  await button.click();
  await askedAgain;
  await page.unroute(failing);
  // A list that is live also loads by itself once it hears of changes, so that the button comes and goes: it is pressed if it is
  // there. Not all the time, because each press begins anew.
  for (let patienceMs = FIRST_PATIENCE_MS; patienceMs <= MOST_PATIENCE_MS; patienceMs *= 2) {
    await button.evaluateAll((found) => {
      for (const element of found) (element as HTMLElement).click();
    });
    const isThere = await good.waitFor({ timeout: patienceMs }).then(
      () => true,
      () => false,
    );
    if (isThere) return;
  }
  throw new Error("what was asked for again did not come");
}
