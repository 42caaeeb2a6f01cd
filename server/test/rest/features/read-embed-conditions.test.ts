import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expectRead, READABLE, reject, SHOP } from "./read-shop.ts";
import { openRestStage } from "./rest-stage.ts";

const opened = openRestStage(SHOP + READABLE, { schemas: ["shop"] });
const expectRows = (target: string, expected: unknown): Promise<void> => expectRead(opened.stage, target, expected);

describe("conditions on embeds", () => {
  it("filter the embedded rows and not the outer rows", async () => {
    await expectRows("/clients?select=id,projects(id)&order=id&projects.name=eq.Two", [
      { id: 1, projects: [{ id: 2 }] },
      { id: 2, projects: [] },
      { id: 3, projects: [] },
    ]);
    await expectRows("/projects?select=id,clients(id)&order=id&clients.name=eq.Bolt", [
      { id: 1, clients: null },
      { id: 2, clients: null },
      { id: 3, clients: { id: 2 } },
      { id: 4, clients: null },
    ]);
  });

  it("may be trees, JSON paths and repeated filters", async () => {
    await expectRows("/clients?select=id,projects(id)&id=eq.1&projects.or=(name.eq.One,id.eq.2)&projects.order=id", [
      { id: 1, projects: [{ id: 1 }, { id: 2 }] },
    ]);
    await expectRows("/clients?select=id,projects(id)&id=eq.1&projects.not.or=(name.eq.One,id.eq.3)", [
      { id: 1, projects: [{ id: 2 }] },
    ]);
    await expectRows("/clients?select=id,projects(id)&id=eq.1&projects.and=(id.gt.0,id.lt.2)", [
      { id: 1, projects: [{ id: 1 }] },
    ]);
    await expectRows("/clients?select=id,projects(id)&id=eq.1&projects.meta->>tag=eq.a", [
      { id: 1, projects: [{ id: 1 }] },
    ]);
    await expectRows("/clients?select=id,projects(id)&id=eq.1&projects.id=gt.0&projects.id=lt.2", [
      { id: 1, projects: [{ id: 1 }] },
    ]);
    await expectRows(
      "/clients?select=id,projects(id,tasks(id))&id=eq.1&projects.order=id&projects.tasks.or=(hours.gt.7,hours.is.null)",
      [
        {
          id: 1,
          projects: [
            { id: 1, tasks: [{ id: 2 }] },
            { id: 2, tasks: [{ id: 3 }] },
          ],
        },
      ],
    );
  });

  it("refer to the alias, or to the relation when no alias has that name", async () => {
    const expected = [{ id: 1, jobs: [{ id: 2 }] }];
    await expectRows("/clients?select=id,jobs:projects(id)&id=eq.1&jobs.id=eq.2", expected);
    await expectRows("/clients?select=id,jobs:projects(id)&id=eq.1&projects.id=eq.2", expected);
    await expectRows("/clients?select=id,jobs:projects(id)&id=eq.1&jobs.order=id.desc&jobs.limit=1", expected);
    await expectRows("/clients?select=id,jobs:projects(id,todo:tasks(id))&id=eq.1&jobs.id=eq.1&jobs.todo.id=eq.2", [
      { id: 1, jobs: [{ id: 1, todo: [{ id: 2 }] }] },
    ]);
  });

  it("return a warning when an alias was not used", async () => {
    const warned: Readonly<Record<string, string>> = {
      "/clients?select=id,jobs:projects(id)&projects.id=eq.2": "'projects' to 'jobs'",
      "/projects?select=id,boss:clients(id)&order=clients(name)": "'clients' to 'boss'",
      "/clients?select=id,jobs:projects(id,todo:tasks(id))&jobs.tasks.limit=1": "'tasks' to 'todo'",
      [`/clients?select=id,${encodeURIComponent('"jöb\\"s"')}:projects(id)&projects.limit=1`]:
        "'projects' to 'j%C3%B6b%22s'",
    };
    for (const [target, changes] of Object.entries(warned)) {
      const { status, headers, text } = await opened.stage.ask(`GET ${target}`);
      assert.equal(status, 200, text);
      assert.equal(
        headers["warning"],
        `299 swarmbase "An embed with an alias was called by its relation. Change ${changes} in filters, orders and limits."`,
      );
    }
    for (const target of [
      "/clients?select=id,jobs:projects(id)&jobs.id=eq.2",
      "/clients?select=id,projects(id)&projects.id=eq.2",
      "/projects?select=id,clients(id)&order=clients(name)",
    ]) {
      assert.equal((await opened.stage.ask(`GET ${target}`)).headers["warning"], undefined, target);
    }
  });

  it("are rejected for an embed that is not selected", async () => {
    for (const parameter of ["projects.id=eq.1", "projects.order=id", "projects.limit=1", "projects.or=(id.eq.1)"]) {
      assert.deepEqual(await reject(opened.stage, `/clients?select=id&${parameter}`), {
        status: 400,
        code: "PGRST108",
        message: "'projects' is not an embedded resource in this request",
        details: null,
        hint: "Verify that 'projects' is included in the 'select' query parameter.",
      });
    }
    const deeper = await reject(opened.stage, "/clients?select=id,projects(id)&projects.tasks.id=eq.1");
    assert.equal(deeper.message, "'tasks' is not an embedded resource in this request");
  });

  it("also filter the outer rows with !inner", async () => {
    await expectRows("/clients?select=id,projects!inner(id)&order=id&projects.order=id", [
      { id: 1, projects: [{ id: 1 }, { id: 2 }] },
      { id: 2, projects: [{ id: 3 }] },
    ]);
    await expectRows("/clients?select=id,projects!inner(id)&projects.name=eq.Two", [{ id: 1, projects: [{ id: 2 }] }]);
    await expectRows("/projects?select=id,clients!inner(id)&clients.name=eq.Bolt", [{ id: 3, clients: { id: 2 } }]);
    await expectRows("/projects?select=id,clients!projects_client!inner(id)&clients.name=eq.Bolt", [
      { id: 3, clients: { id: 2 } },
    ]);
    await expectRows("/projects?select=id,clients!inner!projects_client(id)&clients.name=eq.Bolt", [
      { id: 3, clients: { id: 2 } },
    ]);
    await expectRows("/users?select=id,tasks!inner(id)&tasks.name=eq.Pack", [{ id: 2, tasks: [{ id: 4 }] }]);
    await expectRows("/projects?select=id,clients!left(id)&id=eq.4", [{ id: 4, clients: null }]);
  });

  it("apply through several inner levels", async () => {
    await expectRows("/clients?select=id,projects!inner(id,tasks!inner(id))&projects.tasks.name=eq.Sell", [
      { id: 1, projects: [{ id: 2, tasks: [{ id: 3 }] }] },
    ]);
    // The inner list is cut by its own inner embed, the outer rows are not.
    await expectRows("/clients?select=id,projects(id,tasks!inner(id))&order=id&projects.tasks.name=eq.Sell", [
      { id: 1, projects: [{ id: 2, tasks: [{ id: 3 }] }] },
      { id: 2, projects: [] },
      { id: 3, projects: [] },
    ]);
    await expectRows(
      "/clients?select=id,projects!inner(tasks!inner(users!inner(name)))&projects.tasks.users.name=eq.Bob&order=id",
      [
        { id: 1, projects: [{ tasks: [{ users: [{ name: "Bob" }] }] }] },
        { id: 2, projects: [{ tasks: [{ users: [{ name: "Bob" }] }] }] },
      ],
    );
  });

  it("count with !inner", async () => {
    const answer = await opened.stage.ask("GET /clients?select=id,projects!inner(id)&limit=1&order=id", {
      headers: { prefer: "count=exact" },
    });
    assert.deepEqual([answer.status, answer.headers["content-range"]], [206, "0-0/2"]);
  });

  it("filter by presence and by absence", async () => {
    await expectRows("/clients?select=id,projects(id)&projects=not.is.null&projects.order=id&order=id", [
      { id: 1, projects: [{ id: 1 }, { id: 2 }] },
      { id: 2, projects: [{ id: 3 }] },
    ]);
    await expectRows("/clients?select=id,projects(id)&projects=is.not_null&projects.name=eq.Three", [
      { id: 2, projects: [{ id: 3 }] },
    ]);
    await expectRows("/clients?select=id,projects()&projects=is.null", [{ id: 3 }]);
    await expectRows("/projects?select=id,clients(id)&clients=is.null", [{ id: 4, clients: null }]);
    await expectRows("/projects?select=id,clients()&clients=not.is.null&clients.name=eq.Bolt", [{ id: 3 }]);
    await expectRows("/clients?select=id,projects()&projects=is.null&projects.name=eq.Two&order=id", [
      { id: 2 },
      { id: 3 },
    ]);
    await expectRows("/users?select=name,tasks()&tasks=is.null", [{ name: "Cy" }]);
    await expectRows("/clients?select=id,jobs:projects()&jobs=is.null", [{ id: 3 }]);
    await expectRows("/clients?select=id,projects(id,tasks())&projects.tasks=is.null&order=id&limit=1", [
      { id: 1, projects: [] },
    ]);
  });

  it("combine presence in trees", async () => {
    await expectRows("/projects?select=id,clients(),details()&or=(clients.is.null,details.not.is.null)&order=id", [
      { id: 1 },
      { id: 3 },
      { id: 4 },
    ]);
    await expectRows(
      "/projects?select=id,clients(),tasks()&clients.name=eq.Bolt&tasks.name=eq.Sell&or=(clients.not.is.null,tasks.not.is.null)&order=id",
      [{ id: 2 }, { id: 3 }],
    );
    await expectRows("/projects?select=id,clients(),details()&not.or=(clients.is.null,details.is.null)&order=id", [
      { id: 1 },
      { id: 3 },
    ]);
    await expectRows("/projects?select=id,details()&or=(id.eq.4,and(details.not.is.null,name.eq.One))&order=id", [
      { id: 1 },
      { id: 4 },
    ]);
  });

  it("filter by an empty embed without output", async () => {
    await expectRows("/clients?select=id,projects!inner()&order=id", [{ id: 1 }, { id: 2 }]);
    await expectRows("/clients?select=id,projects!inner()&projects.name=eq.Three", [{ id: 2 }]);
    await expectRows("/clients?select=id,projects()&order=id", [{ id: 1 }, { id: 2 }, { id: 3 }]);
    await expectRows("/clients?select=id,projects!inner(tasks!inner())&projects.tasks.name=eq.Pack", [{ id: 2 }]);
  });

  it("order the outer rows by a column of a to-one embed", async () => {
    await expectRows("/projects?select=id,clients(name)&order=clients(name).desc,id&id=lt.4", [
      { id: 3, clients: { name: "Bolt" } },
      { id: 1, clients: { name: "Acme" } },
      { id: 2, clients: { name: "Acme" } },
    ]);
    await expectRows("/projects?select=id,clients()&order=clients(name).asc.nullsfirst,id.desc", [
      { id: 4 },
      { id: 2 },
      { id: 1 },
      { id: 3 },
    ]);
    await expectRows("/projects?select=id,c:clients()&order=c(name).desc.nullslast,id", [
      { id: 3 },
      { id: 1 },
      { id: 2 },
      { id: 4 },
    ]);
    await expectRows("/tasks?select=id,projects()&order=projects(meta->rank).desc.nullslast,id&limit=3", [
      { id: 1 },
      { id: 2 },
      { id: 4 },
    ]);
    await expectRows(
      "/clients?select=id,projects(id,details(budget))&projects.order=details(budget).desc.nullslast&id=eq.1",
      [
        {
          id: 1,
          projects: [
            { id: 1, details: { budget: 10.5 } },
            { id: 2, details: null },
          ],
        },
      ],
    );
  });

  it("cannot order by a to-many embed", async () => {
    assert.deepEqual(await reject(opened.stage, "/clients?select=id,projects(id)&order=projects(name)"), {
      status: 400,
      code: "PGRST118",
      message: "A related order on 'projects' is not possible",
      details: "'clients' and 'projects' do not form a many-to-one or one-to-one relationship",
      hint: null,
    });
    const unselected = await reject(opened.stage, "/projects?select=id&order=clients(name)");
    assert.equal(unselected.code, "PGRST108");
  });
});
