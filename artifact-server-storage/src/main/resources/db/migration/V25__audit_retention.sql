-- The oldest entries go once a later one says so: it names the last one that goes, and its digest,
-- so that the chain is proved from there on.
alter table audit add column removed_through bigint check (removed_through < id);

create unique index audit_removed_through on audit (removed_through)
  where removed_through is not null;

create function audit_goes_when_said() returns trigger language plpgsql as $$
begin
  if exists (select from audit where removed_through >= old.id) then
    return old;
  end if;
  raise exception 'rows of the audit are deleted only once a later one says so'
    using errcode = 'insufficient_privilege';
end
$$;

drop trigger audit_rows_stay on audit;

create trigger audit_rows_stay
  before update on audit
  for each row execute function audit_is_append_only();

create trigger audit_rows_go_when_said
  before delete on audit
  for each row execute function audit_goes_when_said();
