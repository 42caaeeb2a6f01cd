import assert from "node:assert/strict";
import { checkAppearance } from "./support/appearance.ts";
import { createBrowserTest, NARROW } from "./support/browser-test.ts";
import { readClipboard } from "./support/clipboard.ts";
import { createSignedInUser, openHome } from "./support/people.ts";

const test = createBrowserTest();

test("the documentation is accessible and fits in both themes and widths", async (t, { openPage }) => {
  const page = await openPage(t);
  await page.goto("/docs");
  await page.getByRole("heading", { level: 1 }).waitFor();
  await checkAppearance(page, "docs-home");
  await page.goto("/docs/guides/webhooks");
  await page.getByRole("link", { name: "Console", exact: true }).waitFor({ state: "attached" });
  await checkAppearance(page, "docs-page");
});

test("the documentation is searched with the keyboard, remembers the theme and copies code", async (t, {
  openPage,
}) => {
  const page = await openPage(t);
  await page.goto("/docs");
  await page.keyboard.press("/");
  await page.keyboard.type("swarm_busy");
  await page.getByRole("option").first().getByText("SWARM_BUSY", { exact: true }).waitFor();
  await checkAppearance(page, "docs-search");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/docs/reference/errors#swarm_busy");

  await page.getByRole("button", { name: "Switch between light and dark" }).click();
  await page.goto("/docs/guides/getting-started");
  assert.equal(await page.evaluate(() => document.documentElement.dataset["theme"]), "dark");

  const session = page.locator("figure", { hasText: "$ npm start" });
  await session.getByRole("button", { name: "Copy" }).click();
  await readClipboard(page, "npm start");
});

test("the documentation can be read without script, on a narrow screen too", async (t, { instance, openPage }) => {
  const { browser } = { browser: (await openPage(t)).context().browser() };
  const context = await browser?.newContext({
    baseURL: instance.url,
    ignoreHTTPSErrors: true,
    javaScriptEnabled: false,
    viewport: { width: NARROW, height: 740 },
  });
  if (context === undefined) return assert.fail("there is no browser");
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto("/docs/guides/webhooks#retries");
  await page.getByRole("button", { name: "Pages" }).click();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Errors", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Error codes" }).waitFor();
  await page.getByRole("link", { name: /Search/ }).click();
  await page.getByRole("heading", { level: 1, name: "All pages" }).waitFor();
});

test("the console links to the documentation", async (t, { openPage }) => {
  const page = await openPage(t);
  await createSignedInUser(page);
  await openHome(page);
  const link = page.getByRole("link", { name: /^Documentation/ });
  assert.equal(await link.getAttribute("href"), "/docs");
});
