import type { Page } from "playwright-core";

/** Markup, what filters and patterns are written with, and a word that no line can break. */
export const HOSTILE = `<img src=x onerror="throw 1">'),("%_*\\]};--&${"W".repeat(160)}`;
const DIGITS = "9".repeat(160);

const FIELDS = ["text", "email", "url", "password", "search", "tel", "number"].map((type) => `input[type=${type}]`);
const ANY_FIELD = [...FIELDS, "input:not([type])", "textarea"].map((field) => `${field}:visible:enabled`).join();

/**
 * Fills every field that can be seen with what breaks lines and markup, and returns what is wrong at each width: a page that
 * scrolls sideways, a control outside of the screen, text that is gone.
 */
export async function fillEveryField(
  page: Page,
  where: string,
  widths: readonly number[],
): Promise<{ count: number; faults: string[] }> {
  const faults = await measure(page, where);
  // What lies below a dialog cannot be reached.
  const dialog = page.getByRole("dialog");
  const place = (await dialog.count()) > 0 ? dialog.last() : page.locator("body");
  const fields = await place.locator(ANY_FIELD).all();
  const handles = await Promise.all(fields.map((field) => field.elementHandle()));
  let count = 0;
  for (const handle of handles) {
    const about = (await handle?.evaluate((element) => {
      const { type, maxLength, inputMode, labels, readOnly, disabled } = element as HTMLInputElement;
      // A choice in one field may have taken another away.
      const isUsable = element.checkVisibility({ visibilityProperty: true }) && !disabled && !readOnly;
      const label = element.getAttribute("aria-label") ?? labels?.[0]?.textContent ?? "";
      return { type, maxLength, label, isUsable, isNumeric: type === "number" || inputMode === "numeric" };
    })) ?? { isUsable: false as const };
    if (handle === null || !about.isUsable) continue;
    const text = about.isNumeric ? DIGITS : HOSTILE;
    const typed = about.maxLength > 0 ? text.slice(0, about.maxLength) : text;
    await handle.fill(typed);
    count += 1;
    // A field whose text is kept in the address shows it two frames later.
    const found = await handle.evaluate(async (element) => {
      for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
      return (element as HTMLInputElement).value;
    });
    if (found !== typed) faults.push(`${where}, ${about.label}: "${typed}" became "${found}"`);
    // A search would hide the rest of the page.
    if (about.type === "search") await handle.fill("");
  }
  for (const width of widths) {
    if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: 800 });
    faults.push(...(await measure(page, `${where} at ${width} px`)));
  }
  return { count, faults };
}

/** Two frames later, when everything that depends on the text has been drawn. */
async function measure(page: Page, where: string): Promise<string[]> {
  const found = await page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    const { scrollWidth } = document.documentElement;
    const outside = [...document.querySelectorAll("input, textarea, button, h1, [role=dialog]")].flatMap((element) => {
      const { left, right, width, height } = element.getBoundingClientRect();
      const isSeen = width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true });
      // Within what scrolls sideways by itself, such as a wide table, things may lie further on.
      const isInScroller = element.closest(".overflow-x-auto, pre, [aria-hidden=true]") !== null;
      const isOut = left < -1 || right > innerWidth + 1;
      return isSeen && !isInScroller && isOut ? [`${element.tagName} ${element.textContent?.slice(0, 40) ?? ""}`] : [];
    });
    return { scrollWidth, width: innerWidth, outside };
  });
  return [
    ...(found.scrollWidth > found.width ? [`${where}: ${found.scrollWidth} wide on ${found.width}`] : []),
    ...found.outside.map((element) => `${where}: ${element} lies outside of the screen`),
  ];
}

/** Opens what is folded, so that its fields are seen. */
export async function unfold(page: Page): Promise<void> {
  await page.locator("main details:not([open])").evaluateAll((found) => {
    for (const element of found) (element as HTMLDetailsElement).open = true;
  });
}

export async function waitForField(page: Page): Promise<void> {
  await page.locator(ANY_FIELD).first().waitFor();
}
