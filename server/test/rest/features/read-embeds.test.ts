import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expectRead, READABLE, read, reject, SHOP } from "./read-shop.ts";
import { openRestStage } from "./rest-stage.ts";

const opened = openRestStage(SHOP + READABLE, { schemas: ["shop"] });
const expectRows = (target: string, expected: unknown): Promise<void> => expectRead(opened.stage, target, expected);

describe("embeds", () => {
  it("are one object or null when the rows have the foreign key", () =>
    expectRows("/projects?select=name,clients(name)&order=id", [
      { name: "One", clients: { name: "Acme" } },
      { name: "Two", clients: { name: "Acme" } },
      { name: "Three", clients: { name: "Bolt" } },
      { name: "Four", clients: null },
    ]));

  it("are a list, possibly empty, when the rows are referenced", () =>
    expectRows("/clients?select=name,projects(id)&order=id&projects.order=id", [
      { name: "Acme", projects: [{ id: 1 }, { id: 2 }] },
      { name: "Bolt", projects: [{ id: 3 }] },
      { name: "Cask", projects: [] },
    ]));

  it("are one object in both directions when the key is unique", async () => {
    await expectRows("/projects?select=id,details(notes,budget)&order=id&limit=2", [
      { id: 1, details: { notes: "first", budget: 10.5 } },
      { id: 2, details: null },
    ]);
    await expectRows("/details?select=project_id,projects(name)&order=project_id", [
      { project_id: 1, projects: { name: "One" } },
      { project_id: 3, projects: { name: "Three" } },
    ]);
    await expectRows("/users?select=name,passports(number)&order=id&limit=2", [
      { name: "Ann", passports: { number: "P1" } },
      { name: "Bob", passports: null },
    ]);
    await expectRows("/passports?select=number,users(name)&order=id", [
      { number: "P1", users: { name: "Ann" } },
      { number: "P2", users: null },
    ]);
  });

  it("reach through a junction", async () => {
    await expectRows("/users?select=name,tasks(name)&order=id&tasks.order=name", [
      { name: "Ann", tasks: [{ name: "Build" }, { name: "Design" }] },
      { name: "Bob", tasks: [{ name: "Build" }, { name: "Pack" }] },
      { name: "Cy", tasks: [] },
    ]);
    await expectRows(
      "/tasks?select=id,users(name),users_tasks(share)&id=eq.2&users.order=name&users_tasks.order=share",
      [{ id: 2, users: [{ name: "Ann" }, { name: "Bob" }], users_tasks: [{ share: 0.25 }, { share: 1 }] }],
    );
    await expectRows("/users?select=name,tasks!users_tasks(id)&id=eq.1&tasks.order=id", [
      { name: "Ann", tasks: [{ id: 1 }, { id: 2 }] },
    ]);
  });

  it("follow composite keys", async () => {
    await expectRows("/bookings?select=id,rooms(seats)&order=id", [
      { id: 1, rooms: { seats: 10 } },
      { id: 2, rooms: { seats: 10 } },
      { id: 3, rooms: { seats: 30 } },
      { id: 4, rooms: null },
    ]);
    await expectRows("/rooms?select=seats,bookings(id)&order=seats&bookings.order=id", [
      { seats: 10, bookings: [{ id: 1 }, { id: 2 }] },
      { seats: 20, bookings: [] },
      { seats: 30, bookings: [{ id: 3 }] },
    ]);
    await expectRows("/bookings?select=id,room:bookings_room(seats)&id=eq.3", [{ id: 3, room: { seats: 30 } }]);
    await expectRows("/bookings?select=id,rooms!bookings_room(seats)&id=eq.3", [{ id: 3, rooms: { seats: 30 } }]);
  });

  it("go in both directions in a self-referencing table", async () => {
    await expectRows("/employees?select=name,employees(name)&order=id&employees.order=name", [
      { name: "Root", employees: [{ name: "Left" }, { name: "Right" }] },
      { name: "Left", employees: [{ name: "Leaf" }] },
      { name: "Right", employees: [] },
      { name: "Leaf", employees: [] },
    ]);
    await expectRows("/employees?select=name,boss:boss_id(name)&order=id", [
      { name: "Root", boss: null },
      { name: "Left", boss: { name: "Root" } },
      { name: "Right", boss: { name: "Root" } },
      { name: "Leaf", boss: { name: "Left" } },
    ]);
    await expectRows("/employees?select=name,staff:employees!boss_id(name)&id=eq.2", [
      { name: "Left", staff: [{ name: "Leaf" }] },
    ]);
    await expectRows("/employees?select=name,boss:boss_id(name,boss:boss_id(name)),staff:employees(name)&id=eq.4", [
      { name: "Leaf", boss: { name: "Left", boss: { name: "Root" } }, staff: [] },
    ]);
  });

  it("of a self-referencing table are not selected by the constraint, which has two directions", async () => {
    const message = "Could not find a relationship between 'employees' and 'employees' in the schema cache";
    assert.deepEqual(await reject(opened.stage, "/employees?select=id,employees!employees_boss(id)"), {
      status: 400,
      code: "PGRST200",
      message,
      details:
        "Searched for a foreign key relationship between 'employees' and 'employees' using the hint 'employees_boss' in the schema 'shop', but no matches were found.",
      hint: "Perhaps you meant 'employees!boss_id' instead of 'employees!employees_boss'.",
    });
    assert.equal((await reject(opened.stage, "/employees?select=id,employees_boss(id)")).code, "PGRST200");
  });

  it("of one table under one name are rejected", async () => {
    for (const [target, table] of [
      ["/projects?select=id,clients(id),clients(name)", "projects_clients_1"],
      ["/orders?select=addresses!billing_id(street),addresses!shipping_id(street)", "orders_addresses_1"],
      ["/orders?select=a:addresses!billing_id(street),a:addresses!shipping_id(street)", "orders_a_1"],
      ["/projects?select=clients(),clients(name)", "projects_clients_1"],
      ["/clients?select=projects(tasks(id),tasks(name))", "projects_tasks_2"],
      ["/projects?select=x:clients(id),x:tasks(id)", "projects_x_1"],
    ] as const) {
      const message = `table name "${table}" specified more than once`;
      const expected = { status: 400, code: "42712", message, details: null, hint: null };
      assert.deepEqual(await reject(opened.stage, target), expected, target);
    }
    await expectRows("/projects?select=clients(id),again:clients(name)&id=eq.1", [
      { clients: { id: 1 }, again: { name: "Acme" } },
    ]);
  });

  it("can be selected by the constraint or the column of the key", async () => {
    const acme = [{ id: 1, clients: { name: "Acme" } }];
    await expectRows("/projects?select=id,clients!projects_client(name)&id=eq.1", acme);
    await expectRows("/projects?select=id,clients!client_id(name)&id=eq.1", acme);
    await expectRows("/projects?select=id,clients!id(name)&id=eq.1", acme);
    await expectRows("/projects?select=id,clients:projects_client(name)&id=eq.1", acme);
    await expectRows("/projects?select=id,clients:client_id(name)&id=eq.1", acme);
    await expectRows("/clients?select=id,projects!client_id(id)&id=eq.2", [{ id: 2, projects: [{ id: 3 }] }]);
  });

  it("need a hint when there are several keys between two tables", async () => {
    await expectRows(
      "/orders?select=id,billing:addresses!orders_billing(street),shipping:addresses!shipping_id(street)&order=id",
      [
        { id: 1, billing: { street: "First St" }, shipping: { street: "Second St" } },
        { id: 2, billing: { street: "Second St" }, shipping: { street: "Second St" } },
        { id: 3, billing: null, shipping: { street: "First St" } },
      ],
    );
    await expectRows("/orders?select=id,billing_id(street)&id=eq.1", [{ id: 1, billing_id: { street: "First St" } }]);
    await expectRows("/addresses?select=id,orders!orders_shipping(id)&order=id&orders.order=id", [
      { id: 1, orders: [{ id: 3 }] },
      { id: 2, orders: [{ id: 1 }, { id: 2 }] },
    ]);
    assert.deepEqual(await reject(opened.stage, "/orders?select=id,addresses(street)"), {
      status: 300,
      code: "PGRST201",
      message: "Could not embed because more than one relationship was found for 'orders' and 'addresses'",
      details: [
        {
          cardinality: "many-to-one",
          embedding: "orders with addresses",
          relationship: "orders_billing using orders(billing_id) and addresses(id)",
        },
        {
          cardinality: "many-to-one",
          embedding: "orders with addresses",
          relationship: "orders_shipping using orders(shipping_id) and addresses(id)",
        },
      ],
      hint: "Try changing 'addresses' to one of the following: 'addresses!orders_billing', 'addresses!orders_shipping'. Find the desired relationship in the 'details' key.",
    });
  });

  it("nest with order, filters and windows at each level", async () => {
    await expectRows(
      "/clients?select=name,projects(name,tasks(name,users(name,passports(number))))&id=eq.1" +
        "&projects.order=id&projects.tasks.order=id.desc&projects.tasks.users.order=name",
      [
        {
          name: "Acme",
          projects: [
            {
              name: "One",
              tasks: [
                {
                  name: "Build",
                  users: [
                    { name: "Ann", passports: { number: "P1" } },
                    { name: "Bob", passports: null },
                  ],
                },
                { name: "Design", users: [{ name: "Ann", passports: { number: "P1" } }] },
              ],
            },
            { name: "Two", tasks: [{ name: "Sell", users: [] }] },
          ],
        },
      ],
    );
    await expectRows(
      "/clients?select=id,projects(id,tasks(id,users(id)))&order=id&limit=1&projects.order=id.desc&projects.limit=1&projects.offset=1" +
        "&projects.tasks.id=gt.1&projects.tasks.users.name=eq.Bob",
      [{ id: 1, projects: [{ id: 1, tasks: [{ id: 2, users: [{ id: 2 }] }] }] }],
    );
  });

  it("accept a star at any level and beside named columns", async () => {
    await expectRows("/details?select=*,projects(*,clients(*))&project_id=eq.3", [
      {
        project_id: 3,
        notes: null,
        budget: 30,
        projects: { id: 3, name: "Three", client_id: 2, meta: { rank: 2 }, clients: { id: 2, name: "Bolt" } },
      },
    ]);
    await expectRows("/tasks?select=*,title:name&id=eq.5", [
      { id: 5, name: "Loose", project_id: null, hours: 1, title: "Loose" },
    ]);
  });

  it("of one relation can have two names", () =>
    expectRows("/clients?select=id,small:projects(id),large:projects(id)&id=eq.1&small.id=lt.2&large.id=gte.2", [
      { id: 1, small: [{ id: 1 }], large: [{ id: 2 }] },
    ]));

  it("do not reach into schemas that are not exposed", async () => {
    await expectRows("/coins?select=*", [{ id: 1, vault_id: 1 }]);
    const rejection = await reject(opened.stage, "/coins?select=id,vaults(id)");
    assert.deepEqual([rejection.status, rejection.code], [400, "PGRST200"]);
    assert.equal(rejection.message, "Could not find a relationship between 'coins' and 'vaults' in the schema cache");
  });

  it("are rejected with the nearest name when there is no such relationship", async () => {
    assert.deepEqual(await reject(opened.stage, "/projects?select=*,client(*)"), {
      status: 400,
      code: "PGRST200",
      message: "Could not find a relationship between 'projects' and 'client' in the schema cache",
      details:
        "Searched for a foreign key relationship between 'projects' and 'client' in the schema 'shop', but no matches were found.",
      hint: "Perhaps you meant 'clients' instead of 'client'.",
    });
    assert.deepEqual(await reject(opened.stage, "/projects?select=*,clients!wrong(*)"), {
      status: 400,
      code: "PGRST200",
      message: "Could not find a relationship between 'projects' and 'clients' in the schema cache",
      details:
        "Searched for a foreign key relationship between 'projects' and 'clients' using the hint 'wrong' in the schema 'shop', but no matches were found.",
      hint: "Perhaps you meant 'clients!projects_client' instead of 'clients!wrong'.",
    });
    assert.equal((await reject(opened.stage, "/clients?select=*,rooms(*)")).hint, null);
  });

  it("are rejected with the database's message when a column does not exist", async () => {
    const rejection = await reject(opened.stage, "/projects?select=id,clients(nme)");
    assert.deepEqual([rejection.status, rejection.code], [400, "42703"]);
    assert.match(rejection.message, /column clients(_\d+)?\.nme does not exist/);
  });

  it("are complete for a large list", async () => {
    const rows = (await read(opened.stage, "/users?select=id,tasks(id,projects(id,clients(id)))")) as unknown[];
    assert.equal(rows.length, 3);
  });
});
