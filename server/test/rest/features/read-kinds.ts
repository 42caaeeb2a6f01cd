import assert from "node:assert/strict";
import type { RestStage } from "./rest-stage.ts";

/** One table with a column of every kind; the last of its four rows is all nulls. */
export const KINDS = `
create schema kinds;
grant usage on schema kinds to anon, authenticated, service_role;
create type kinds.mood as enum ('sad', 'ok', 'happy');
create type kinds.place as (city text, zip int);
create domain kinds.email as text check (value like '%@%');
create domain kinds.rating as int check (value between 0 and 9);
create table kinds.things (
  id int primary key,
  name text,
  amount int,
  price numeric(10, 2),
  ratio double precision,
  active boolean,
  code uuid,
  born date,
  seen timestamptz,
  at time,
  took interval,
  tags text[],
  marks int[],
  span int4range,
  spans int4multirange,
  period daterange,
  data jsonb,
  doc json,
  mood kinds.mood,
  mail kinds.email,
  rate kinds.rating,
  search tsvector,
  home kinds.place,
  homes kinds.place[],
  moods kinds.mood[],
  raw bytea,
  word varchar(20),
  fixed char(4),
  net inet
);
insert into kinds.things values
  (1, 'Alpha', 10, 1.50, 0.5, true, '11111111-1111-4111-8111-111111111111', '2020-01-01', '2020-01-01T10:00:00Z', '08:00', '1 hour',
   '{red,blue}', '{1,2,3}', '[1,5)', '{[1,3),[7,9)}', '[2020-01-01,2020-02-01)', '{"k":"v","n":5,"deep":{"a":[10,{"b":"x"}]}}', '{"z":1,"a":{"b":"one"}}',
   'sad', 'a@x.test', 1, to_tsvector('english', 'the quick brown foxes'), '("Oslo",100)', array[row('Oslo',1)::kinds.place, row('Bergen',2)::kinds.place], '{sad,ok}', '\\x01ff', 'one', 'ab', '10.0.0.1'),
  (2, 'beta', 20, 2.50, 1.5, false, '22222222-2222-4222-8222-222222222222', '2021-01-01', '2021-01-01T10:00:00.123Z', '09:00', '2 hours',
   '{blue}', '{3,4}', '[5,10)', '{[10,20)}', '[2020-02-01,2020-03-01)', '{"k":"w","n":7,"deep":{"a":[20]}}', '{"a":{"b":"two"}}',
   'ok', 'B@x.test', 2, to_tsvector('english', 'lazy dogs jump high'), '("Rome",200)', '{}', '{happy}', '\\x02', 'two', 'cd', '10.0.0.2'),
  (3, 'Gamma, (x)', 30, 3.50, 2.5, null, '33333333-3333-4333-8333-333333333333', '2022-01-01', '2022-01-01T10:00:00Z', '10:00', '3 hours',
   '{}', '{}', '[20,30)', '{}', '[2021-01-01,2021-02-01)', '[1,2,3]', '[1]',
   'happy', 'c@x.test', 3, to_tsvector('english', 'quick dogs'), '("Oslo",300)', null, '{}', '\\x', 'three', 'ef', '10.0.0.3'),
  (4, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);
grant select on all tables in schema kinds to anon, authenticated, service_role;
`;

/** The ids that each query selects, in order. */
export async function expectIds(stage: RestStage, rows: Readonly<Record<string, readonly number[]>>): Promise<void> {
  for (const [query, expected] of Object.entries(rows)) {
    const { status, json, text } = await stage.ask(`GET /things?select=id&order=id&${query}`);
    assert.equal(status, 200, `${query}: ${text}`);
    assert.deepEqual(
      (json as { id: number }[]).map(({ id }) => id),
      expected,
      query,
    );
  }
}
