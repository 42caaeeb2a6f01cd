import type { Locator, Page } from "playwright-core";

const INITIAL_TIMEOUT_MS = 1_000;
const MAX_TIMEOUT_MS = 32_000;

/** Clicks "Try again", waits for the repeated request, lets further requests succeed, and waits for `good`. */
export async function retryLoading(page: Page, failing: string, good: Locator): Promise<void> {
  const button = page.getByRole("button", { name: "Try again" });
  const askedAgain = page.waitForRequest(failing);
  await button.click();
  await askedAgain;
  await page.unroute(failing);
  // Realtime can also reload a list, so the button may disappear: click it only if it exists, with growing pauses,
  // because each click starts the request again.
  for (let timeoutMs = INITIAL_TIMEOUT_MS; timeoutMs <= MAX_TIMEOUT_MS; timeoutMs *= 2) {
    await button.evaluateAll((found) => {
      for (const element of found) (element as HTMLElement).click();
    });
    const isThere = await good.waitFor({ timeout: timeoutMs }).then(
      () => true,
      () => false,
    );
    if (isThere) return;
  }
  throw new Error("the content did not load after the retry");
}
