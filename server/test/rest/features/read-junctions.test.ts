import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expectRead, READABLE, reject, SHOP } from "./read-shop.ts";
import { openRestStage } from "./rest-stage.ts";

const JUNCTIONS = `
create table shop.sites (id int primary key, name text);
create table shop.jobs (
  site_1 int references shop.sites, site_2 int references shop.sites,
  project_1 int references shop.projects, project_2 int references shop.projects,
  primary key (site_1, site_2, project_1, project_2)
);
insert into shop.sites values (1, 'North'), (2, 'South');
insert into shop.jobs values (1, 2, 1, 2);
create table shop.posters (id int primary key, name text);
create table shop.subscriptions (
  subscriber int references shop.posters, subscribed int references shop.posters, primary key (subscriber, subscribed)
);
insert into shop.posters values (1, 'Mark'), (2, 'Elon'), (3, 'Bill');
insert into shop.subscriptions values (1, 2), (3, 1);
create table shop.tags (id int primary key, name text);
create table shop.project_tags (
  id int primary key, project_id int not null references shop.projects, tag_id int not null references shop.tags, unique (project_id, tag_id)
);
create table shop.project_visits (id int primary key, project_id int references shop.projects, site_id int references shop.sites);
insert into shop.tags values (1, 'red'), (2, 'blue');
insert into shop.project_tags values (1, 1, 2), (2, 1, 1);
create table shop.leads (id int primary key, name text, project_id int references shop.projects);
create table shop.lead_projects (lead_id int references shop.leads, project_id int references shop.projects, primary key (lead_id, project_id));
`;
const opened = openRestStage(SHOP + JUNCTIONS + READABLE, { schemas: ["shop"] });
const expectRows = (target: string, expected: unknown): Promise<void> => expectRead(opened.stage, target, expected);

interface Choices {
  readonly details: readonly { readonly cardinality: string; readonly relationship: string }[];
}

describe("junctions", () => {
  it("with several keys to one side are ambiguous, but can be embedded step by step", async () => {
    const rejection = await reject(opened.stage, "/sites?select=*,projects(*)");
    assert.deepEqual([rejection.status, rejection.code], [300, "PGRST201"]);
    assert.deepEqual(
      (rejection as Choices).details.map(({ relationship }) => relationship),
      [
        "jobs using jobs_site_1_fkey(site_1) and jobs_project_1_fkey(project_1)",
        "jobs using jobs_site_1_fkey(site_1) and jobs_project_2_fkey(project_2)",
        "jobs using jobs_site_2_fkey(site_2) and jobs_project_1_fkey(project_1)",
        "jobs using jobs_site_2_fkey(site_2) and jobs_project_2_fkey(project_2)",
      ],
    );
    await expectRows("/sites?select=name,jobs!site_1(...projects!project_2(project:name))&order=id", [
      { name: "North", jobs: [{ project: "Two" }] },
      { name: "South", jobs: [] },
    ]);
  });

  it("of a table with itself go in both directions, selected by a key", async () => {
    const rejection = await reject(opened.stage, "/posters?select=*,posters(*)");
    assert.deepEqual([rejection.status, rejection.code], [300, "PGRST201"]);
    await expectRows("/posters?select=name,follows:posters!subscriptions_subscriber_fkey(name)&id=eq.1", [
      { name: "Mark", follows: [{ name: "Elon" }] },
    ]);
    await expectRows("/posters?select=name,followers:subscriptions!subscribed(...posters!subscriber(name))&id=eq.1", [
      { name: "Mark", followers: [{ name: "Bill" }] },
    ]);
  });

  it("may have a separate primary key when the pair is unique", () =>
    expectRows("/projects?select=id,tags(name)&order=id&limit=2&tags.order=name", [
      { id: 1, tags: [{ name: "blue" }, { name: "red" }] },
      { id: 2, tags: [] },
    ]));

  it("are not recognised when a pair can appear twice", async () => {
    assert.equal((await reject(opened.stage, "/tags?select=*,sites(*)")).code, "PGRST200");
    assert.equal((await reject(opened.stage, "/clients?select=*,sites(*)")).code, "PGRST200");
    const direct = await reject(opened.stage, "/sites?select=*,projects!project_visits(*)");
    assert.equal(direct.code, "PGRST200");
  });

  it("beside a direct key are ambiguous, and a hint selects one", async () => {
    const rejection = await reject(opened.stage, "/leads?select=*,projects(*)");
    assert.equal(rejection.status, 300);
    assert.deepEqual(
      (rejection as Choices).details.map(({ cardinality }) => cardinality),
      ["many-to-one", "many-to-many"],
    );
    await expectRows("/leads?select=*,projects!lead_projects(id),main:projects!project_id(id)", []);
  });
});
