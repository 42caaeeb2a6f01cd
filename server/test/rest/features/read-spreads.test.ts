import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expectRead, READABLE, reject, SHOP } from "./read-shop.ts";
import { openRestStage } from "./rest-stage.ts";

const opened = openRestStage(SHOP + READABLE, { schemas: ["shop"] });
const expectRows = (target: string, expected: unknown): Promise<void> => expectRead(opened.stage, target, expected);

describe("spreads", () => {
  it("add the columns of a to-one embed to the parent", async () => {
    await expectRows("/projects?select=id,...clients(client:name)&order=id", [
      { id: 1, client: "Acme" },
      { id: 2, client: "Acme" },
      { id: 3, client: "Bolt" },
      { id: 4, client: null },
    ]);
    await expectRows("/projects?select=id,...details(notes,budget)&order=id&limit=2", [
      { id: 1, notes: "first", budget: 10.5 },
      { id: 2, notes: null, budget: null },
    ]);
    await expectRows("/details?select=*,...projects(*)&project_id=eq.3", [
      { project_id: 3, notes: null, budget: 30, id: 3, name: "Three", client_id: 2, meta: { rank: 2 } },
    ]);
  });

  it("replace columns of the same key, as embeds do: no key is sent twice", async () => {
    for (const [target, expected] of [
      ["/projects?select=id,id&id=eq.1", '{"id":1}'],
      ["/clients?select=*,id&id=eq.1", '{"name":"Acme","id":1}'],
      ["/clients?select=*,*&id=eq.1", '{"id":1,"name":"Acme"}'],
      ["/clients?select=id,*,name,*&id=eq.1", '{"id":1,"name":"Acme"}'],
      ["/clients?select=*,id:name&id=eq.1", '{"name":"Acme","id":"Acme"}'],
      ["/clients?select=a:id,a:name&id=eq.1", '{"a":"Acme"}'],
      ["/projects?select=client_id,client_id(name)&id=eq.1", '{"client_id":{"name":"Acme"}}'],
      ["/orders?select=billing_id(id),*&id=eq.1", '{"billing_id":{"id":1},"id":1,"shipping_id":2}'],
      ["/projects?select=id,name,...clients(name)&id=eq.1", '{"id":1,"name":"Acme"}'],
      [
        "/orders?select=...addresses!billing_id(*),*&id=eq.3",
        '{"id":null,"street":null,"billing_id":null,"shipping_id":1}',
      ],
      ["/tasks?select=...projects(name,...clients(id,name)),id&id=eq.2", '{"id":1,"name":"Acme"}'],
      ["/projects?select=...clients(id),...clients(client:name,id)&id=eq.1", '{"client":"Acme","id":1}'],
      ["/clients?select=name,...projects(name)&id=eq.2", '{"name":["Three"]}'],
      ["/clients?select=name,projects(id,id:name)&id=eq.2", '{"name":"Bolt","projects":[{"id":"Three"}]}'],
      ["/projects?select=id.sum(),client_id.sum()", '{"sum":4}'],
      ["/projects?select=name,...clients(name),count()&id=eq.1", '{"name":"Acme","count":1}'],
      ["/projects?select=...clients(name),name,count()&id=eq.1&order=name", '{"name":"Acme","count":1}'],
    ] as const) {
      const { text } = await opened.stage.ask(`GET ${target}`);
      assert.equal(text, `[${expected}]`, target);
    }
    const csv = { headers: { accept: "text/csv" } };
    const grouped = await opened.stage.ask("GET /projects?select=name,count(),...clients(name)&id=eq.1", csv);
    assert.equal(grouped.text, "name,count\nAcme,1");
    const rows = await opened.stage.ask("GET /clients?select=*,id:name&id=eq.1", csv);
    assert.equal(rows.text, "name,id\nAcme,Acme");
  });

  it("nest through several to-one embeds", () =>
    expectRows("/tasks?select=name,...projects(project:name,...clients(client:name))&order=id", [
      { name: "Design", project: "One", client: "Acme" },
      { name: "Build", project: "One", client: "Acme" },
      { name: "Sell", project: "Two", client: "Acme" },
      { name: "Pack", project: "Three", client: "Bolt" },
      { name: "Loose", project: null, client: null },
    ]));

  it("can be inside an embed, and contain an embed", async () => {
    await expectRows("/tasks?select=name,project:projects(name,...clients(client:name))&id=eq.4", [
      { name: "Pack", project: { name: "Three", client: "Bolt" } },
    ]);
    await expectRows("/tasks?select=name,...projects(project:name,clients(name),tasks(id))&id=eq.4", [
      { name: "Pack", project: "Three", clients: { name: "Bolt" }, tasks: [{ id: 4 }] },
    ]);
    await expectRows("/users?select=name,tasks:users_tasks(share,...tasks(name))&id=eq.1&tasks.order=share", [
      {
        name: "Ann",
        tasks: [
          { share: 0.5, name: "Design" },
          { share: 1, name: "Build" },
        ],
      },
    ]);
  });

  it("are a list for each column of a to-many embed", async () => {
    await expectRows("/clients?select=name,...projects(ids:id,names:name)&order=id&projects.order=id.desc", [
      { name: "Acme", ids: [2, 1], names: ["Two", "One"] },
      { name: "Bolt", ids: [3], names: ["Three"] },
      { name: "Cask", ids: [], names: [] },
    ]);
    await expectRows("/users?select=id,...tasks(tasks:name)&order=id&tasks.order=name", [
      { id: 1, tasks: ["Build", "Design"] },
      { id: 2, tasks: ["Build", "Pack"] },
      { id: 3, tasks: [] },
    ]);
    await expectRows(
      "/users?select=name,...passports(number),...users_tasks(shares:share)&id=eq.2&users_tasks.order=share",
      [{ name: "Bob", number: null, shares: [0.25, 1] }],
    );
    await expectRows("/projects?select=name,...tasks(*)&id=eq.1&tasks.order=id", [
      { name: ["Design", "Build"], id: [1, 2], project_id: [1, 1], hours: [5, 8] },
    ]);
  });

  it("keep nulls in lists, so that the lists have equal lengths", () =>
    expectRows("/projects?select=id,...tasks(task:id,hours)&order=id&tasks.order=id&limit=2", [
      { id: 1, task: [1, 2], hours: [5, 8] },
      { id: 2, task: [3], hours: [null] },
    ]));

  it("make lists of nested lists", async () => {
    await expectRows(
      "/clients?select=id,...projects(project:name,...details(budgets:budget))&id=eq.1&projects.order=id",
      [{ id: 1, project: ["One", "Two"], budgets: [10.5, null] }],
    );
    await expectRows("/clients?select=id,...projects(project:name,details(budget))&id=eq.1&projects.order=id", [
      { id: 1, project: ["One", "Two"], details: [{ budget: 10.5 }, null] },
    ]);
    await expectRows(
      "/clients?select=id,...projects(project:name,...tasks(tasks:name))&id=eq.1&projects.order=id&projects.tasks.order=id",
      [
        {
          id: 1,
          project: ["One", "Two"],
          tasks: [["Design", "Build"], ["Sell"]],
        },
      ],
    );
  });

  it("accept filters, limits, !inner and presence like any embed", async () => {
    await expectRows("/clients?select=id,...projects(ids:id)&order=id&projects.name=eq.Two", [
      { id: 1, ids: [2] },
      { id: 2, ids: [] },
      { id: 3, ids: [] },
    ]);
    await expectRows("/clients?select=id,...projects(ids:id)&id=eq.1&projects.order=id.desc&projects.limit=1", [
      { id: 1, ids: [2] },
    ]);
    await expectRows("/clients?select=id,...projects!inner(ids:id)&projects.id=gt.2", [{ id: 2, ids: [3] }]);
    await expectRows("/projects?select=id,...clients!inner(client:name)&clients.name=eq.Bolt", [
      { id: 3, client: "Bolt" },
    ]);
    await expectRows("/clients?select=id,...projects(ids:id)&projects=is.null", [{ id: 3, ids: [] }]);
    await expectRows(
      "/projects?select=id,...clients(client:name)&order=clients(name).desc.nullslast,id&limit=2&offset=1",
      [
        { id: 1, client: "Acme" },
        { id: 2, client: "Acme" },
      ],
    );
  });

  it("keep the order and the window of the parent rows", async () => {
    await expectRows("/projects?select=id,...clients(client:name)&order=id.desc&limit=2&offset=1", [
      { id: 3, client: "Bolt" },
      { id: 2, client: "Acme" },
    ]);
    await expectRows("/clients?select=id,...projects(ids:id)&order=id.desc&limit=1&offset=1", [{ id: 2, ids: [3] }]);
  });

  it("have no alias, and no aggregates in lists", async () => {
    assert.equal((await reject(opened.stage, "/projects?select=id,...c:clients(name)")).code, "PGRST100");
    assert.deepEqual(await reject(opened.stage, "/clients?select=name,...projects(id.count())"), {
      status: 400,
      code: "PGRST127",
      message: "Feature not implemented",
      details: "Aggregates are not implemented for one-to-many or many-to-many spreads.",
      hint: null,
    });
  });
});
