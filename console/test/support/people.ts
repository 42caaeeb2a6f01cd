import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";

export interface Person {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

export function inventPerson(name = "Grace Hopper"): Person {
  return { name, email: `${randomUUID()}@example.com`, password: `pass-${randomUUID()}` };
}

/** Makes an account through the page and waits until the first scene is there. */
export async function signUp(page: Page, person: Person = inventPerson()): Promise<Person> {
  await page.goto("/sign-up");
  await page.getByLabel("Name").fill(person.name);
  await page.getByLabel("E-mail").fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill(person.password);
  await page.getByRole("button", { name: "Make an account" }).click();
  await page.getByRole("heading", { level: 1, name: "Welcome" }).waitFor();
  return person;
}

export async function signIn(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}
