import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planNode } from "../../src/rest/plan/plan-read.ts";
import { parameterisedOf, outlineOf, planOf, type Rejection, ROWS, rejectionOf } from "./support/planning.ts";
import { SHOP } from "./support/shop-catalogue.ts";

function missing(from: string, to: string, hint: string | null, written = ""): Rejection {
  const between = `between '${from}' and '${to}'`;
  return {
    code: "PGRST200",
    status: 400,
    message: `Could not find a relationship ${between} in the schema cache`,
    details: `Searched for a foreign key relationship ${between}${written} in the schema 'public', but no matches were found.`,
    hint,
  };
}

function notEmbedded(name: string): Rejection {
  return {
    code: "PGRST108",
    status: 400,
    message: `'${name}' is not an embedded resource in this request`,
    details: null,
    hint: `Verify that '${name}' is included in the 'select' query parameter.`,
  };
}

const REJECTED: readonly (readonly [url: string, rejection: Rejection])[] = [
  [
    "project?select=id",
    {
      code: "PGRST205",
      status: 404,
      message: "Could not find the table 'public.project' in the schema cache",
      details: null,
      hint: "Perhaps you meant the table 'public.projects'",
    },
  ],
  [
    "wholly_unlike",
    {
      code: "PGRST205",
      status: 404,
      message: "Could not find the table 'public.wholly_unlike' in the schema cache",
      details: null,
      hint: null,
    },
  ],
  ["clients?select=project(*)", missing("clients", "project", "Perhaps you meant 'projects' instead of 'project'.")],
  ["clients?select=newst(*)", missing("clients", "newst", "Perhaps you meant 'newest' instead of 'newst'.")],
  ["clients?select=tickets(*)", missing("clients", "tickets", null)],
  [
    "tickets?select=users!tickets_autor_id_fkey(*)",
    missing(
      "tickets",
      "users",
      "Perhaps you meant 'users!tickets_author_id_fkey' instead of 'users!tickets_autor_id_fkey'.",
      " using the hint 'tickets_autor_id_fkey'",
    ),
  ],
  ["clients?select=projects(tickets(*))", missing("projects", "tickets", null)],
  [
    "tickets?select=users(*)",
    {
      code: "PGRST201",
      status: 300,
      message: "Could not embed because more than one relationship was found for 'tickets' and 'users'",
      details: [
        {
          cardinality: "many-to-one",
          embedding: "tickets with users",
          relationship: "tickets_author_id_fkey using tickets(author_id) and users(id)",
        },
        {
          cardinality: "many-to-one",
          embedding: "tickets with users",
          relationship: "tickets_closer_id_fkey using tickets(closer_id) and users(id)",
        },
      ],
      hint: "Try changing 'users' to one of the following: 'users!tickets_author_id_fkey', 'users!tickets_closer_id_fkey'. Find the desired relationship in the 'details' key.",
    },
  ],
  ["clients?projects.id=eq.1", notEmbedded("projects")],
  ["clients?projects.order=id", notEmbedded("projects")],
  ["clients?projects.limit=1", notEmbedded("projects")],
  ["clients?select=*,projects(*)&projects.tasks.id=eq.1", notEmbedded("tasks")],
  ["clients?select=*,projects(tasks(*))&tasks.id=eq.1", notEmbedded("tasks")],
  ["projects?order=clients(name)", notEmbedded("clients")],
  [
    "clients?select=*,projects()&order=projects(name)",
    {
      code: "PGRST118",
      status: 400,
      message: "A related order on 'projects' is not possible",
      details: "'clients' and 'projects' do not form a many-to-one or one-to-one relationship",
      hint: null,
    },
  ],
];

describe("planning rejects", () => {
  for (const [url, rejection] of REJECTED)
    it(url, () =>
      assert.deepEqual(
        rejectionOf(() => planOf(url)),
        rejection,
      ),
    );
});

describe("planning leaves to the database", () => {
  it("columns that the catalogue does not know", () => {
    assert.deepEqual(outlineOf("clients?select=no&nay=eq.1&order=never"), {
      outputs: ["no = no?"],
      where: ["nay? eq 1"],
      order: ["never?"],
    });
  });
});

describe("planning rows of no relation", () => {
  const rows = { source: { kind: "call" }, relation: null, columns: null } as const;
  const { placeholders } = parameterisedOf("rpc/f?a=eq.1&limit=2").parameterised;
  const context = { catalogue: SHOP, media: ROWS, placeholders, isCapped: false };

  it("selects any column", () => {
    const query = parameterisedOf("rpc/f?select=a,b->c").request.query;
    const node = planNode(query, rows, context);
    assert.deepEqual(
      node.outputs.map((output) => output.kind === "value" && [output.name, output.value.of, output.value.isJson]),
      [
        ["a", { kind: "column", name: "a", type: null }, false],
        ["c", { kind: "column", name: "b", type: null }, false],
      ],
    );
    assert.deepEqual([node.where, node.limit, node.offset], [[], null, null]);
  });

  it("rejects embeds", () => {
    const query = parameterisedOf("rpc/f?select=clients(*)").request.query;
    const from = { ...rows, name: { schema: "public", name: "f" } };
    assert.deepEqual(
      rejectionOf(() => planNode(query, from, context)),
      missing("f", "clients", null),
    );
  });
});
