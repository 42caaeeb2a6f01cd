import type { Page } from "playwright-core";
import { findViolations } from "./axe.ts";
import { walkByKeyboard } from "./walk-by-keyboard.ts";

/** Markup, words from right to left with an override of the direction, special characters of filters and patterns, and a very long word. */
export const HOSTILE = `<img src=x onerror="throw 1">\u202e\u05e9\u05dc\u05d5\u05dd'),("%_*\\]};--&${"W".repeat(160)}`;
/** By the bar at the bottom of a form: the field that was filled last has scrolled the page below it. */
const COVERED = "partially obscured";
const THEMES = ["light", "dark"] as const;
const DIGITS = "9".repeat(160);

const FIELDS = ["text", "email", "url", "password", "search", "tel", "number"].map((type) => `input[type=${type}]`);
const ANY_FIELD = [...FIELDS, "input:not([type])", "textarea"].map((field) => `${field}:visible:enabled`).join();

/**
 * Fills all visible fields with text that breaks lines and markup, and returns the problems at each width, in both themes: a page
 * that scrolls horizontally, a control outside of the screen, a changed text, a violation of accessibility.
 */
export async function fillEveryField(
  page: Page,
  where: string,
  widths: readonly number[],
): Promise<{ count: number; problems: string[] }> {
  const problems = [...(await measure(page, where)), ...(await walkByKeyboard(page, where))];
  // An open dialog covers the page.
  const dialog = page.getByRole("dialog");
  const place = (await dialog.count()) > 0 ? dialog.last() : page.locator("body");
  const fields = await place.locator(ANY_FIELD).all();
  const handles = await Promise.all(fields.map((field) => field.elementHandle()));
  let count = 0;
  for (const handle of handles) {
    const about = (await handle?.evaluate((element) => {
      const { type, maxLength, inputMode, labels, readOnly, disabled } = element as HTMLInputElement;
      // A change of one field may have removed another.
      const isUsable = element.checkVisibility({ visibilityProperty: true }) && !disabled && !readOnly;
      const label = element.getAttribute("aria-label") ?? labels?.[0]?.textContent ?? "";
      return { type, maxLength, label, isUsable, isNumeric: type === "number" || inputMode === "numeric" };
    })) ?? { isUsable: false as const };
    if (handle === null || !about.isUsable) continue;
    const text = about.isNumeric ? DIGITS : HOSTILE;
    const typed = about.maxLength > 0 ? text.slice(0, about.maxLength) : text;
    // Some fields place the caret when they get the focus, which must not happen between selecting and replacing their text.
    await handle.focus();
    await handle.fill(typed);
    count += 1;
    // A field whose value is in the URL is updated two frames later.
    const found = await handle.evaluate(async (element) => {
      for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
      return (element as HTMLInputElement).value;
    });
    if (found !== typed) problems.push(`${where}, ${about.label}: "${typed}" became "${found}"`);
    // A search text would filter the rest of the page.
    if (about.type === "search") await handle.fill("");
  }
  for (const width of widths) {
    if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: 800 });
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme });
      const here = `${where} at ${width} px, ${colorScheme}`;
      problems.push(...(await measure(page, here)));
      const violations = await findViolations(page);
      problems.push(...violations.filter((text) => !text.includes(COVERED)).map((text) => `${here}: ${text}`));
    }
  }
  return { count, problems };
}

/** Waits two frames, until everything that depends on the text is rendered. */
async function measure(page: Page, where: string): Promise<string[]> {
  const found = await page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    const { scrollWidth } = document.documentElement;
    const outside = [...document.querySelectorAll("input, textarea, button, h1, [role=dialog]")].flatMap((element) => {
      const { left, right, width, height } = element.getBoundingClientRect();
      const isSeen = width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true });
      // Elements inside a horizontal scroll container may lie outside of the screen.
      const isInScroller = element.closest(".overflow-x-auto, .overflow-auto, pre, [aria-hidden=true]") !== null;
      const isOut = left < -1 || right > innerWidth + 1;
      return isSeen && !isInScroller && isOut ? [`${element.tagName} ${element.textContent?.slice(0, 40) ?? ""}`] : [];
    });
    return { scrollWidth, width: innerWidth, outside };
  });
  return [
    ...(found.scrollWidth > found.width ? [`${where}: ${found.scrollWidth} wide on ${found.width}`] : []),
    ...found.outside.map((element) => `${where}: ${element} is outside of the screen`),
  ];
}

/** Expands collapsed sections. */
export async function expandDetails(page: Page): Promise<void> {
  await page.locator("main details:not([open])").evaluateAll((found) => {
    for (const element of found) (element as HTMLDetailsElement).open = true;
  });
}

export async function waitForField(page: Page): Promise<void> {
  await page.locator(ANY_FIELD).first().waitFor();
}
