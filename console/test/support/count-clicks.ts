import type { Locator, Page } from "playwright-core";

const STORED = "test.clicks";

export interface ClickCounter {
  /** Chooses an option of a native list, which a person does with two clicks. */
  choose(list: Locator, option: string): Promise<void>;
  count(): Promise<number>;
}

/** Counts what a person does with the pointer on the page, also across loads of the document. Typing is not counted. */
export async function countClicks(page: Page): Promise<ClickCounter> {
  const listen = (stored: string): void => {
    addEventListener(
      "pointerdown",
      ({ isTrusted }) => {
        if (isTrusted) sessionStorage.setItem(stored, String(Number(sessionStorage.getItem(stored)) + 1));
      },
      true,
    );
  };
  await page.addInitScript(listen, STORED);
  await page.evaluate(listen, STORED);
  let chosen = 0;
  return {
    choose: async (list, option) => {
      await list.selectOption(option);
      chosen += 2;
    },
    count: async () => chosen + Number(await page.evaluate((stored) => sessionStorage.getItem(stored), STORED)),
  };
}
