import type { Page } from "playwright-core";

const CONTROLS = "a[href], button, input, select, textarea, summary";
/** Of these, Tab reaches one of several, and arrow keys the others. */
const GROUPED = "[type=radio], [role=radio], [role=tab], [role=menuitem], [role=option]";
/** More than any page has. */
const MAX_STEPS = 1_000;

/** Presses Tab until the focus has been everywhere; returns controls that it did not reach, and those that do not show it. */
export async function walkByKeyboard(page: Page, where: string): Promise<string[]> {
  await page.waitForLoadState("networkidle");
  const problems = await walk(page, where);
  // Rows can arrive after the focus has passed their place.
  return problems.length === 0 ? problems : walk(page, where);
}

async function walk(page: Page, where: string): Promise<string[]> {
  await page.evaluate(() => {
    for (const element of document.querySelectorAll("[data-walked]")) element.removeAttribute("data-walked");
  });
  const reached = new Set<string>();
  const unmarked = new Set<string>();
  // The focus starts at the heading of the page, and comes back to what is above it.
  for (let step = 0, ends = 0; step < MAX_STEPS && ends < 2; step += 1) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(readFocus);
    if (at === null) {
      ends += 1;
      continue;
    }
    if (at.isRepeated) break;
    reached.add(at.name);
    if (!at.isMarked) unmarked.add(at.name);
  }
  const controls = await page.evaluate(listControls, [CONTROLS, GROUPED] as const);
  // A control that was rendered again after it had the focus has the same name.
  const missed = new Set(controls.filter((name) => !reached.has(name)));
  return [
    ...[...unmarked].map((name) => `${where}: ${name} does not show that it has the focus`),
    ...[...missed].map((name) => `${where}: Tab does not reach ${name}`),
  ];
}

/** What has the focus; null: nothing. */
function readFocus() {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const last = document.querySelector("[data-walked=last]");
  // A field for a time has several stops.
  const isRepeated = element.hasAttribute("data-walked") && element !== last;
  last?.setAttribute("data-walked", "");
  element.setAttribute("data-walked", "last");
  const { outlineStyle, boxShadow } = getComputedStyle(element);
  // A field for text has a caret.
  const isMarked = outlineStyle !== "none" || boxShadow !== "none" || element.matches("input, textarea");
  const name = `${element.tagName} ${(element.getAttribute("aria-label") ?? element.textContent ?? "").slice(0, 60)}`;
  return { name, isRepeated, isMarked };
}

/** The names of the controls that have to be reached; of an open dialog alone, which keeps the focus. */
function listControls([controls, grouped]: readonly [string, string]): readonly string[] {
  const place = [...document.querySelectorAll("[role=dialog], [role=alertdialog]")].at(-1) ?? document;
  return [...place.querySelectorAll<HTMLElement>(controls)]
    .filter(
      (element) =>
        element.tabIndex >= 0 &&
        !element.matches(`:disabled, ${grouped}, [inert] *, [aria-hidden=true] *, [data-walked]`) &&
        element.checkVisibility({ visibilityProperty: true }),
    )
    .map(
      (element) =>
        `${element.tagName} ${(element.getAttribute("aria-label") ?? element.textContent ?? "").slice(0, 60)}`,
    );
}
