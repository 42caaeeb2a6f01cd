import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { storeSession } from "./browser-contexts.ts";

export interface Person {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

export function createPerson(name = "Grace Hopper"): Person {
  return { name, email: `${randomUUID()}@example.com`, password: `pass-${randomUUID()}` };
}

/**
 * Creates an account over the API and stores its session for the page, which is then signed in. Tests of the entry pages use
 * `signUp` and `signIn` instead.
 */
export async function createSignedInUser(page: Page, person: Person = createPerson()): Promise<Person> {
  const start = await page.request.get("/console.json");
  const { anon_key: apikey } = (await start.json()) as { anon_key: string };
  const { name, email, password } = person;
  const answer = await page.request.post("/auth/v1/signup", {
    headers: { apikey },
    data: { email, password, data: { full_name: name } },
  });
  assert.ok(answer.ok(), await answer.text());
  await storeSession(page, await answer.json());
  return person;
}

/** The heading of the home page, unlike that of the first start. */
export const HOME_TITLE = /^Welcome(?: back)?(?:,|$)/;

/** Opens the home page of a signed-in user. */
export async function openHome(page: Page): Promise<void> {
  await page.goto("/");
  await page.getByRole("heading", { level: 1, name: HOME_TITLE }).waitFor();
}

/** Opens another page of the console as its links do: without loading the document again, which takes half a second. */
export async function navigate(page: Page, to: string): Promise<void> {
  await page.evaluate((path) => {
    // The router numbers its entries, and warns of one without a number.
    const { idx = 0, ...state } = (history.state ?? {}) as { readonly idx?: number };
    // It also restores the scroll position of an entry with a known key, so that rows above it would not be rendered.
    history.pushState({ ...state, key: crypto.randomUUID(), idx: idx + 1 }, "", path);
    dispatchEvent(new PopStateEvent("popstate"));
  }, to);
}

/** Creates an account through the page and waits for the home page. */
export async function signUp(page: Page, person: Person = createPerson()): Promise<Person> {
  await page.goto("/sign-up");
  await page.getByLabel("Name").fill(person.name);
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill(person.password);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { level: 1, name: HOME_TITLE }).waitFor();
  return person;
}

export async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}
