create table public.orders (
  id bigint generated always as identity primary key,
  customer uuid not null default auth.uid(),
  item text not null
);
alter table public.orders enable row level security;
create policy own on public.orders to authenticated using (customer = auth.uid()) with check (customer = auth.uid());
grant select, insert on public.orders to authenticated;

create function public.list_orders(since bigint default 0) returns table (item text)
language sql stable as $$ select o.item from public.orders o where o.id > since order by o.id $$;
comment on function public.list_orders is 'Lists the orders of the customer.
@param since the number of the last known order';

-- Volatile, although it only reads.
create function public.count_orders() returns bigint
language plpgsql as $$ begin return (select count(*) from public.orders); end $$;
create function public.count_all_orders() returns bigint
language plpgsql security definer as $$ begin return (select count(*) from public.orders); end $$;
create function public.add_order(item text) returns void
language sql as $$ insert into public.orders (item) values (item) $$;
create function public.add_for_all(item text) returns void
language sql security definer as $$ insert into public.orders (item, customer) values (item, auth.uid()) $$;

-- What hostile code in a function does, with the rights of the caller and with those of its owner.
create sequence public.numbers;
create procedure public.commits() language plpgsql as $$ begin commit; insert into public.orders (item) values ('x'); end $$;
create function public.execute(statement text) returns text
language plpgsql as $$ begin execute statement; return 'escaped'; end $$;
create function public.execute_as_owner(statement text) returns text
language plpgsql security definer as $$ begin execute statement; return 'escaped'; end $$;
create function public.wait_on(statement text) returns text
language plpgsql set statement_timeout = '4s' as $$ begin execute statement; perform pg_sleep(600); return 'awake'; end $$;

create function public.wait_for(seconds double precision) returns text
language plpgsql set statement_timeout = '4s' as $$ begin perform pg_sleep(seconds); return 'awake'; end $$;
create function public.much() returns text
language plpgsql as $$ begin return repeat('x', 100000000); end $$;
create function public.refuse() returns text language plpgsql as $$
begin
  raise exception 'out of stock' using detail = 'DETAIL-CANARY', hint = 'HINT-CANARY';
end
$$;
create function public.answer_status() returns text language plpgsql as $$
begin
  perform set_config('response.status', '404', true);
  return 'nothing here';
end
$$;
create function public.exact() returns numeric language sql as $$ select 12345678901234567890.5 $$;
create function public.changing(name text) returns text language sql as $$ select name $$;
create function public.granted() returns text language sql as $$ select 'granted' $$;

create function public.for_operators(secret text) returns text language sql as $$ select '' $$;
revoke execute on function public.for_operators from public, anon, authenticated;

create function public.take_record(taken public.orders, times integer) returns text language sql as $$ select '' $$;
create function public.take_many(variadic taken integer[]) returns text language sql as $$ select '' $$;
create function public.take_any(taken anyelement) returns text language sql as $$ select '' $$;
create function public.take_unnamed(integer) returns text language sql as $$ select '' $$;
create function public.twice(one text) returns text language sql as $$ select '' $$;
create function public.twice(one text, two text) returns text language sql as $$ select '' $$;
create procedure public.procedure(one text) language sql as $$ select '' $$;
create function public.on_change() returns trigger language plpgsql as $$ begin return new; end $$;

create type public.size as enum ('small', 'large');
create function public.all_types(flag boolean, whole integer, amount numeric, id uuid, day date, at timestamptz, local timestamp,
  size public.size, tags text[], counts bigint[], sizes public.size[], extra jsonb, note text default '') returns text
language sql as $$ select concat_ws(' ', flag, whole, amount, id, day, local, size, tags, counts, sizes, extra, note) $$;
