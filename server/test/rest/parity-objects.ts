import { CASE_OBJECTS } from "./parity-cases.ts";
import { CHANGE_OBJECTS } from "./parity-changes.ts";

/** Exposed. */
export const SCHEMA = "shop";

/** The objects of the tests. The function `hook.check` does nothing unless the request has the header `x-hook`. */
export const OBJECTS = `
create schema shop;
create schema hook;
create schema extensions;

create table shop.films (
  id int primary key, title text not null, minutes int, rating numeric(3, 1), tags text[], details jsonb,
  at timestamptz default '2024-06-01T12:00:00Z'
);
insert into shop.films (id, title, minutes, rating, tags, details) values
  (1, 'Alpha', 90, 7.5, '{long,old}', '{"place": {"city": "Rome"}}'),
  (2, 'Beta', null, 6.1, '{new}', '{"place": {"city": "Oslo"}}'),
  (3, 'Gamma', 120, 8.8, '{}', '{}');
create function shop.settings() returns json language sql stable as $$ select json_build_object(
  'timeout', current_setting('statement_timeout'), 'isolation', current_setting('transaction_isolation'),
  'work_mem', current_setting('work_mem'), 'role', current_user, 'claims', current_setting('request.jwt.claims', true)::json,
  'path', current_setting('search_path'), 'seen', current_setting('hook.seen', true)) $$;
create function shop.film_at_once() returns setof shop.films language sql stable
  set statement_timeout = '3s' set default_transaction_isolation = 'serializable' as $$ select * from shop.films limit 1 $$;
create function shop.film_at_leisure() returns setof shop.films language sql stable set statement_timeout = '1h' as
  $$ select * from shop.films limit 1 $$;
-- Evaluated outside of these functions, so it shows the settings of the transaction.
create function shop.limits(shop.films) returns text language sql volatile as
  $$ select current_setting('statement_timeout') || ', ' || current_setting('transaction_isolation') $$;
create function shop.doze() returns void language sql stable set statement_timeout = '50ms' as $$ select pg_sleep(30) $$;
create function shop.source_of(name text) returns text language sql stable as
  $$ select source from pg_settings where pg_settings.name = source_of.name $$;

create extension citext schema extensions;
create table shop.mails (address extensions.citext primary key);
insert into shop.mails values ('Ada@example.test');
-- As other extensions would have them.
create domain extensions.shout as text;
create function extensions.loud(shop.films) returns text language sql stable as $$ select upper($1.title) $$;
create function extensions.louder(value text) returns text language sql immutable as $$ select upper(value) || '!' $$;
create function shop.call_out(value text) returns text language plpgsql stable as $$ begin return louder(value); end $$;
create function extensions.st_asgeojson(value record) returns text language plpgsql stable as
  $$ begin return json_build_object('type', 'Feature', 'properties', row_to_json(value)); end $$;

-- A number that clients see as a text: 17 is "C-17".
create domain shop.code as int;
create function shop.code_to_json(shop.code) returns json language sql immutable as $$ select to_json('C-' || $1::int) $$;
create function shop.code_from_text(text) returns shop.code language sql immutable as $$ select substr($1, 3)::int::shop.code $$;
create function shop.code_from_json(json) returns shop.code language sql immutable as
  $$ select substr($1 #>> '{}', 3)::int::shop.code $$;
create cast (shop.code as json) with function shop.code_to_json(shop.code) as implicit;
create cast (text as shop.code) with function shop.code_from_text(text) as implicit;
create cast (json as shop.code) with function shop.code_from_json(json) as implicit;
create table shop.parts (code shop.code primary key, name text, whole shop.code);
insert into shop.parts values (1, 'car', null), (2, 'wheel', 1), (3, 'tyre', 2);
create table shop.stock (id int primary key, part shop.code references shop.parts);
insert into shop.stock values (1, 2);

-- Media types: bytes of a table, CSV of a table, everything of a view, lines of any row.
create domain shop."application/vnd.titles" as bytea;
create function shop.add_title(state bytea, next shop.films) returns shop."application/vnd.titles" language sql immutable as
  $$ select state || convert_to(next.title || ';', 'utf8') $$;
create aggregate shop.titles (shop.films) (initcond = '', stype = shop."application/vnd.titles", sfunc = shop.add_title);
create domain shop."text/csv" as text;
create function shop.add_part(state text, next shop.parts) returns shop."text/csv" language sql immutable as
  $$ select state || next.name || E'\\n' $$;
create function shop.end_parts(data shop."text/csv") returns shop."text/csv" language plpgsql as $$ begin
  perform set_config('response.headers', '[{"Content-Disposition": "attachment; filename=parts.csv"}]', true);
  return E'the name\\n' || data;
end $$;
create aggregate shop.part_lines (shop.parts) (initcond = '', stype = shop."text/csv", sfunc = shop.add_part, finalfunc = shop.end_parts);
create domain shop."*/*" as text;
create view shop."films.txt" as select id, title from shop.films;
create function shop.add_film(state shop."*/*", next shop."films.txt") returns shop."*/*" language sql immutable as
  $$ select (state || next.id || next.title)::shop."*/*" $$;
create aggregate shop.film_texts (shop."films.txt") (initcond = '', stype = shop."*/*", sfunc = shop.add_film);
create domain shop."application/x-ndjson" as text;
create function shop.add_line(state text, next anyelement) returns shop."application/x-ndjson" language sql immutable as
  $$ select state || row_to_json(next)::text || E'\\n' $$;
create aggregate shop.lines (anyelement) (initcond = '', stype = shop."application/x-ndjson", sfunc = shop.add_line);
create function shop.long_films() returns setof shop.films language sql stable as $$ select * from shop.films where minutes > 100 $$;
create view shop.numbers as select number from generate_series(1, 7) as number;
create function shop.as_asked() returns shop."*/*" language sql stable as $$ select 'as asked'::shop."*/*" $$;

create function hook.check() returns void language plpgsql as $$
declare
  headers json := current_setting('request.headers', true)::json;
begin
  case headers ->> 'x-hook'
    when 'reject' then raise exception 'rejected by the hook' using errcode = 'PT418', hint = 'try without';
    when 'deny' then raise insufficient_privilege using message = 'not for you';
    when 'headers' then
      perform set_config('response.headers', '[{"X-Hook": "' || current_setting('request.method') || ' '
        || current_setting('request.path') || '"}]', true);
    when 'status' then perform set_config('response.status', '203', true);
    when 'mark' then perform set_config('hook.seen', 'marked', false);
    when 'limits' then
      perform set_config('statement_timeout', '0', true);
      perform set_config('request.jwt.claims', '{"sub": "00000000-0000-0000-0000-000000000000", "role": "service_role"}', true);
      reset role;
    when 'write' then insert into shop.films (id, title) values (77, 'of the hook');
    when 'sleep' then perform set_config('statement_timeout', '0', true); perform pg_sleep(60);
    else null;
  end case;
end $$;

${CASE_OBJECTS}
${CHANGE_OBJECTS}
create table shop.secrets (id int primary key, owner uuid);
alter table shop.secrets enable row level security;
create policy own on shop.secrets to authenticated using (owner = (select auth.uid()));
insert into shop.secrets values (1, '00000000-0000-0000-0000-000000000000');

grant usage on schema shop, hook, extensions to anon, authenticated, service_role;
grant all on all tables in schema shop to service_role;
grant usage on all sequences in schema shop to service_role;
grant select on shop.films, shop.secrets to authenticated, anon;
grant execute on all functions in schema shop, hook, extensions to anon, authenticated, service_role;
`;
