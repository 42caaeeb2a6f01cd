import assert from "node:assert/strict";
import type { RestStage } from "./rest-stage.ts";

/** Relations of every kind of relationship, with few rows. */
export const SHOP = `
create schema hidden;
create schema shop;
grant usage on schema shop to anon, authenticated, service_role;

create table shop.clients (id int primary key, name text not null);
create table shop.projects (
  id int primary key,
  name text not null,
  client_id int constraint projects_client references shop.clients,
  meta jsonb not null default '{}'
);
create table shop.details (project_id int primary key references shop.projects, notes text, budget numeric);
create table shop.tasks (id int primary key, name text not null, project_id int references shop.projects, hours int);
create table shop.users (id int primary key, name text not null);
create table shop.users_tasks (
  user_id int references shop.users, task_id int references shop.tasks, share numeric, primary key (user_id, task_id)
);
create table shop.passports (id int primary key, number text, user_id int unique references shop.users);
create table shop.employees (id int primary key, name text, boss_id int constraint employees_boss references shop.employees);
create table shop.addresses (id int primary key, street text);
create table shop.orders (
  id int primary key,
  billing_id int constraint orders_billing references shop.addresses,
  shipping_id int constraint orders_shipping references shop.addresses
);
create table shop.rooms (building text, number int, seats int, primary key (building, number));
create table shop.bookings (
  id int primary key, building text, number int,
  constraint bookings_room foreign key (building, number) references shop.rooms
);
create table hidden.vaults (id int primary key);
create table shop.coins (id int primary key, vault_id int references hidden.vaults);

insert into shop.clients values (1, 'Acme'), (2, 'Bolt'), (3, 'Cask');
insert into shop.projects values
  (1, 'One', 1, '{"rank":3,"tag":"a"}'), (2, 'Two', 1, '{"rank":1}'), (3, 'Three', 2, '{"rank":2}'), (4, 'Four', null, '{}');
insert into shop.details values (1, 'first', 10.5), (3, null, 30);
insert into shop.tasks values (1, 'Design', 1, 5), (2, 'Build', 1, 8), (3, 'Sell', 2, null), (4, 'Pack', 3, 2), (5, 'Loose', null, 1);
insert into shop.users values (1, 'Ann'), (2, 'Bob'), (3, 'Cy');
insert into shop.users_tasks values (1, 1, 0.5), (1, 2, 1), (2, 2, 0.25), (2, 4, 1);
insert into shop.passports values (1, 'P1', 1), (2, 'P2', null);
insert into shop.employees values (1, 'Root', null), (2, 'Left', 1), (3, 'Right', 1), (4, 'Leaf', 2);
insert into shop.addresses values (1, 'First St'), (2, 'Second St');
insert into shop.orders values (1, 1, 2), (2, 2, 2), (3, null, 1);
insert into shop.rooms values ('A', 1, 10), ('A', 2, 20), ('B', 1, 30);
insert into shop.bookings values (1, 'A', 1), (2, 'A', 1), (3, 'B', 1), (4, 'A', null);
insert into hidden.vaults values (1);
insert into shop.coins values (1, 1);
`;

/** Objects are the owner's; everybody may read them. */
export const READABLE = `
grant select on all tables in schema shop to anon, authenticated, service_role;
grant execute on all functions in schema shop to anon, authenticated, service_role;
`;

export async function read(stage: RestStage, target: string): Promise<unknown> {
  const { status, json, text } = await stage.ask(`GET ${target}`);
  assert.equal(status, 200, `${target}: ${text}`);
  return json;
}

export async function expectRead(stage: RestStage, target: string, expected: unknown): Promise<void> {
  assert.deepEqual(await read(stage, target), expected, target);
}

export interface Rejection {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details: unknown;
  readonly hint: unknown;
}

export async function reject(stage: RestStage, target: string): Promise<Rejection> {
  const { status, json } = await stage.ask(`GET ${target}`);
  const { code, message, details, hint } = json as Omit<Rejection, "status">;
  return { status, code, message, details, hint };
}
