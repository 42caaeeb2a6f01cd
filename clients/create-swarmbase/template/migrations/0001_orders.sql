-- The orders of the shop. The policy decides who sees which rows, also when the agent reads them for a customer.
create table public.orders (
  user_id uuid not null references auth.users on delete cascade,
  number text not null,
  item text not null,
  refunded_at timestamptz,
  primary key (user_id, number)
);
alter table public.orders enable row level security;
create policy own_orders on public.orders for select to authenticated using (user_id = (select auth.uid()));
grant select on public.orders to authenticated;
grant select, update on public.orders to service_role;

-- What the tool my_orders calls, with the rights of whoever asks the agent.
create function public.my_orders() returns setof public.orders language sql stable
as $$ select o.* from public.orders o order by o.number $$;
comment on function public.my_orders() is 'Lists the orders of the customer, and says where they are.';
grant execute on function public.my_orders() to authenticated;

-- Every new customer has an order, so that there is something to ask about.
create function public.add_first_order() returns trigger language plpgsql security definer set search_path = ''
as $$
begin
  insert into public.orders (user_id, number, item) values (new.id, 'A-17', 'Coffee beans');
  return new;
end
$$;
create trigger add_first_order after insert on auth.users for each row execute function public.add_first_order();
