import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { namesOf } from "../../src/rest/plan/names-of.ts";
import { planOf } from "./support/planning.ts";

function touched(url: string): string[] {
  return [...new Set(namesOf(planOf(url).plan).map(({ kind, schema, name }) => `${kind} ${schema}.${name}`))];
}

describe("the names that a plan touches", () => {
  it("are relations, functions and types, wherever they occur", () => {
    assert.deepEqual(touched("projects?select=id"), ["relation public.projects"]);
    assert.deepEqual(touched("projects?select=full_name"), ["relation public.projects", "function public.full_name"]);
    assert.deepEqual(touched("projects?select=id::text"), ["relation public.projects", "type .text"]);
    assert.deepEqual(touched("projects?select=id,clients(id)"), [
      "relation public.projects",
      "relation public.clients",
    ]);
  });

  it("include an unknown column, which may be a function of the row", () => {
    for (const search of ["select=nothing", "nothing=eq.1", "order=nothing", "or=(id.eq.1,nothing.is.null)"]) {
      assert.ok(touched(`projects?${search}`).includes("function .nothing"), search);
    }
  });
});
