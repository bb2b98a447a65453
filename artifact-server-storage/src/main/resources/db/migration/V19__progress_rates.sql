-- How many bytes a device has, so that they can be added up; when and how fast it was sent them; and
-- why a download of it broke off.
alter table progress
  add column bytes bigint,
  add column stretch_began_at timestamptz,
  add column stretch_bytes bigint not null default 0,
  add column earlier_bytes bigint not null default 0,
  add column earlier_micros bigint not null default 0,
  add column error text check (error in ('ABORTED', 'FAILED')),
  add column error_at timestamptz;

-- Gaps and runs in turn, each with seven bits a byte, lowest first.
create function pg_temp.delivered_bytes(delivered bytea) returns bigint language plpgsql as $$
declare
  total bigint := 0;
  length bigint := 0;
  shift int := 0;
  is_run boolean := false;
  part int;
begin
  for i in 0 .. octet_length(delivered) - 1 loop
    part := get_byte(delivered, i);
    length := length | ((part & 127)::bigint << shift);
    if part >= 128 then
      shift := shift + 7;
    else
      if is_run then
        total := total + length;
      end if;
      is_run := not is_run;
      length := 0;
      shift := 0;
    end if;
  end loop;
  return total;
end
$$;

update progress set bytes = pg_temp.delivered_bytes(delivered), stretch_began_at = updated_at;

alter table progress
  alter column bytes set not null,
  alter column stretch_began_at set not null;

-- Who has all of an artifact, and who does not, is read from indexes alone.
alter table progress
  drop constraint progress_pkey,
  add primary key (repository_id, sha256, device) include (bytes);
