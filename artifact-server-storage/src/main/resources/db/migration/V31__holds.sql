-- A hold is a promise: the database itself refuses to shorten it and to delete what it keeps. "support_end" is the
-- first day of the last month of the support.
alter table artifact
  add column held_until timestamptz,
  add column hold_reason text check (length(hold_reason) between 1 and 500),
  add column release text collate "C" check (release in ('SECURITY', 'FEATURE')),
  add column support_end date,
  add check (num_nulls(held_until, hold_reason) in (0, 2)),
  add check (num_nulls(release, support_end) in (0, 2));

create index artifact_held on artifact (repository_id, path) where held_until is not null;

create function artifact_is_held() returns trigger language plpgsql as $$
begin
  if old.held_until > now() and (tg_op = 'DELETE' or coalesce(new.held_until < old.held_until, true)) then
    raise exception 'artifact % is held until %: %', old.path, old.held_until, old.hold_reason
      using errcode = 'insufficient_privilege';
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end
$$;

create trigger held_artifacts_stay
  before delete on artifact
  for each row execute function artifact_is_held();

create trigger holds_are_not_shortened
  before update of held_until on artifact
  for each row execute function artifact_is_held();
