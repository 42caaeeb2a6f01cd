-- Filters of events: conditions on the envelope, in the language of Outpost and Hookdeck. This is the only place that
-- knows the language. The fan-out evaluates filters for all users, so their cost has a bound, for a filter and for all
-- filters of a user: of an array the first 100 values and the first 20 objects count, conditions on objects in arrays
-- do not reach into further arrays, and `$in` searches the first 4,096 characters of a text.

create or replace function private.take_first_elements(subject jsonb) returns jsonb
language sql immutable parallel safe
as $$
  select case when pg_catalog.jsonb_array_length(subject) <= 100 then subject
    else pg_catalog.jsonb_path_query_array(subject, '$[0 to 99]') end
$$;
grant execute on function private.take_first_elements(jsonb) to sb_service;

-- Whether a value meets a condition with an operator that compares. Null: the operator has no meaning for the value.
create or replace function private.meets_condition(operator text, operand jsonb, subject jsonb) returns boolean
language plpgsql immutable parallel safe
as $$
declare
  kind constant text := pg_catalog.jsonb_typeof(subject);
  operand_kind constant text := pg_catalog.jsonb_typeof(operand);
  difference integer;
  is_in boolean;
begin
  if operator in ('$gt', '$gte', '$lt', '$lte') then
    if kind = 'number' and operand_kind = 'number' then
      difference := (subject > operand)::integer - (subject < operand)::integer;
    elsif kind = 'string' and operand_kind = 'string' then
      difference := ((subject #>> '{}') > (operand #>> '{}') collate "C")::integer
        - ((subject #>> '{}') < (operand #>> '{}') collate "C")::integer;
    end if;
    return case operator when '$gt' then difference > 0 when '$gte' then difference >= 0
      when '$lt' then difference < 0 else difference <= 0 end;
  elsif operator in ('$in', '$nin') then
    is_in := case
      when operand_kind = 'array' then case when kind not in ('array', 'object') then operand @> subject end
      when kind = 'array' then private.take_first_elements(subject) @> operand
      when kind = 'string' and operand_kind = 'string' then
        pg_catalog.strpos(pg_catalog.left(subject #>> '{}', 4096), operand #>> '{}') > 0 end;
    return is_in = (operator = '$in');
  end if;
  return case operator
    when '$eq' then subject = operand
    when '$neq' then subject <> operand
    when '$exist' then operand = 'true'
    when '$startsWith' then
      kind = 'string' and pg_catalog.starts_with(subject #>> '{}', operand #>> '{}')
    when '$endsWith' then
      kind = 'string'
        and pg_catalog.right(subject #>> '{}', pg_catalog.char_length(operand #>> '{}')) = (operand #>> '{}') end;
end
$$;
grant execute on function private.meets_condition(text, jsonb, jsonb) to sb_service;

-- Whether a value passes a filter that find_filter_faults accepts. `is_element`: the value is in an array.
create or replace function private.passes_filter(filter jsonb, subject jsonb, is_element boolean default false)
returns boolean language plpgsql immutable parallel safe
as $$
declare
  kind constant text := pg_catalog.jsonb_typeof(subject);
  condition record;
  passes boolean;
begin
  if pg_catalog.jsonb_typeof(filter) = 'array' then
    return kind = 'array' and not exists (
      select from pg_catalog.jsonb_array_elements(filter) as wanted (entry)
      where not private.passes_filter(wanted.entry, subject, is_element));
  elsif pg_catalog.jsonb_typeof(filter) <> 'object' then
    return subject = filter or (kind = 'array' and private.take_first_elements(subject) @> filter);
  elsif kind = 'array' then
    -- Conditions on fields are those of one element.
    if exists (select from pg_catalog.jsonb_object_keys(filter) as k (name) where not starts_with(k.name, '$')) then
      return not is_element and exists (
        select from pg_catalog.generate_series(0, least(pg_catalog.jsonb_array_length(subject), 20) - 1) as place
        where pg_catalog.jsonb_typeof(subject -> place) = 'object'
          and private.passes_filter(filter, subject -> place, true));
    end if;
  end if;
  for condition in select named.key, named.value as operand from pg_catalog.jsonb_each(filter) as named loop
    if not pg_catalog.starts_with(condition.key, '$') then
      if kind <> 'object' then
        return false;
      elsif pg_catalog.jsonb_typeof(condition.operand) not in ('object', 'array')
        and pg_catalog.jsonb_typeof(subject -> condition.key) <> 'array' then
        -- The usual condition, without a further call.
        passes := subject -> condition.key = condition.operand;
      elsif subject ? condition.key then
        passes := private.passes_filter(condition.operand, subject -> condition.key, is_element);
      else
        passes := condition.operand -> '$exist' = 'false';
      end if;
    elsif condition.key = '$not' then
      passes := not private.passes_filter(condition.operand, subject, is_element);
    elsif condition.key = '$or' then
      passes := exists (select from pg_catalog.jsonb_array_elements(condition.operand) as choice (filter)
        where private.passes_filter(choice.filter, subject, is_element));
    elsif condition.key = '$and' then
      passes := not exists (select from pg_catalog.jsonb_array_elements(condition.operand) as part (filter)
        where not private.passes_filter(part.filter, subject, is_element));
    elsif condition.key in ('$startsWith', '$endsWith') and pg_catalog.jsonb_typeof(condition.operand) = 'array' then
      passes := exists (select from pg_catalog.jsonb_array_elements(condition.operand) as choice (operand)
        where private.meets_condition(condition.key, choice.operand, subject));
    else
      passes := private.meets_condition(condition.key, condition.operand, subject);
    end if;
    if passes is not true then
      return false;
    end if;
  end loop;
  return true;
end
$$;
grant execute on function private.passes_filter(jsonb, jsonb, boolean) to sb_service;

-- Returns what is wrong with the operand of an operator that compares; null: nothing.
create or replace function private.find_operand_fault(operator text, operand jsonb) returns text
language plpgsql immutable parallel safe
as $$
declare
  kinds constant text[] := case when pg_catalog.jsonb_typeof(operand) = 'array' then
    array(select distinct pg_catalog.jsonb_typeof(e.entry) from pg_catalog.jsonb_array_elements(operand) as e (entry))
    else array[pg_catalog.jsonb_typeof(operand)] end;
  is_list constant boolean := pg_catalog.jsonb_typeof(operand) = 'array';
begin
  return case
    when operator in ('$eq', '$neq') then null
    when operator in ('$gt', '$gte', '$lt', '$lte') then
      case when is_list or not kinds <@ array['string', 'number'] then 'must be a text or a number' end
    when operator in ('$in', '$nin') then case when kinds = '{}' or kinds && array['object', 'array'] then
      'must be a text, a number, true, false, null or a list of these' end
    when operator in ('$startsWith', '$endsWith') then
      case when kinds <> array['string'] then 'must be a text or a list of texts' end
    when operator = '$exist' then case when kinds <> array['boolean'] or is_list then 'must be true or false' end
    else 'is not an operator' end;
end
$$;
grant execute on function private.find_operand_fault(text, jsonb) to authenticated, service_role, sb_service;

create or replace function private.list_filter_faults(filter jsonb, path text) returns table (place text, message text)
language plpgsql immutable parallel safe
as $$
declare
  logical constant text[] := array['$or', '$and', '$not'];
  condition record;
  inner_path text;
  fault text;
begin
  if pg_catalog.jsonb_typeof(filter) in ('object', 'array') and filter in ('{}', '[]') then
    return query select path, 'must not be empty';
  elsif pg_catalog.jsonb_typeof(filter) = 'array' then
    return query select f.place, f.message
      from pg_catalog.jsonb_array_elements(filter) with ordinality as e (entry, number)
      cross join lateral private.list_filter_faults(e.entry, path || '.' || e.number - 1) as f;
  elsif pg_catalog.jsonb_typeof(filter) = 'object' then
    if (select pg_catalog.count(distinct pg_catalog.starts_with(k.name, '$')) > 1
        from pg_catalog.jsonb_object_keys(filter) as k (name) where k.name <> all (logical)) then
      return query select path, 'must not have both fields and operators';
    end if;
    for condition in select named.key, named.value as operand from pg_catalog.jsonb_each(filter) as named loop
      inner_path := path || '.' || condition.key;
      if condition.key in ('$or', '$and') and pg_catalog.jsonb_typeof(condition.operand) <> 'array' then
        return query select inner_path, 'must be a list of filters';
      elsif condition.key = any (logical) or not pg_catalog.starts_with(condition.key, '$') then
        return query select f.place, f.message from private.list_filter_faults(condition.operand, inner_path) as f;
      else
        fault := private.find_operand_fault(condition.key, condition.operand);
        if fault is not null then
          return query select inner_path, fault;
        end if;
      end if;
    end loop;
  end if;
end
$$;
grant execute on function private.list_filter_faults(jsonb, text) to authenticated, service_role, sb_service;

-- Returns what is wrong with a filter, by path, as an object with at most 20 members; null: nothing.
create or replace function private.count_filter_values(filter jsonb) returns integer
language sql immutable parallel safe
as $$
  select pg_catalog.count(*)::integer
  from pg_catalog.jsonb_path_query(filter, 'strict $.** ? (@.type() != "object" && @.type() != "array")')
$$;
grant execute on function private.count_filter_values(jsonb) to authenticated, service_role, sb_service;

create or replace function private.find_filter_faults(filter jsonb) returns jsonb
language plpgsql immutable strict parallel safe
as $$
begin
  if pg_catalog.jsonb_typeof(filter) <> 'object' then
    return '{"filter": "must be a JSON object"}';
  elsif pg_catalog.octet_length(filter::text) > 4096 then
    return '{"filter": "must be at most 4096 bytes of JSON"}';
  elsif pg_catalog.jsonb_path_exists(filter, 'strict $.**{17}') then
    return '{"filter": "must not be nested deeper than 16 levels"}';
  elsif private.count_filter_values(filter) > 50 then
    return '{"filter": "must compare with at most 50 values"}';
  elsif filter = '{}' then
    return null;
  end if;
  return (select pg_catalog.jsonb_object_agg(f.place, f.message)
    from (select * from private.list_filter_faults(filter, 'filter') limit 20) as f);
end
$$;
grant execute on function private.find_filter_faults(jsonb) to authenticated, service_role, sb_service;

-- Rejects a filter that is not valid. `relation` is the table that has it in its column `filter`; the detail of the
-- error has the messages by path.
create or replace function private.require_filter(filter jsonb, relation text) returns void
language plpgsql immutable
as $$
declare
  faults constant jsonb := private.find_filter_faults(filter);
begin
  if faults is not null then
    raise exception 'the filter is not valid' using errcode = 'check_violation', detail = faults::text,
      schema = 'public', table = relation, column = 'filter', constraint = relation || '_filter_valid';
  end if;
end
$$;
grant execute on function private.require_filter(jsonb, text) to authenticated, service_role, sb_service;

-- An event of a user passes through all filters of that user. With this many values, filters cost about as much as the
-- deliveries to as many webhooks as a user may have. The lock makes the limit exact.
create or replace function private.limit_filters() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(new.user_id::text, 58));
  if (select sum(private.count_filter_values(used.filter)) > 500
      from (select w.filter from public.webhooks w where w.user_id = new.user_id
        union all select f.filter from public.event_feeds f where f.user_id = new.user_id) as used
      where used.filter is not null) then
    raise exception 'the filters of a user have too many values' using errcode = 'check_violation',
      detail = '{"filter": "must compare, together with your other filters, with at most 500 values"}',
      schema = 'public', table = tg_table_name, column = 'filter', constraint = tg_table_name || '_filter_valid';
  end if;
  return null;
end
$$;
