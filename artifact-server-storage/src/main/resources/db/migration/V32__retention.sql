-- Rules that delete old releases. They delete nothing until somebody has seen what they would delete.
create table retention_rule (
  repository_id bigint not null references repository (id) on delete cascade,
  folder text collate "C" not null check (octet_length(folder) <= 1024),
  newest integer check (newest > 0),
  age_seconds bigint check (age_seconds > 0),
  is_active boolean not null,
  primary key (repository_id, folder),
  check (num_nonnulls(newest, age_seconds) > 0)
);

-- With what it takes to put a deleted artifact back. Rows of earlier deletions have none of it.
alter table used_path
  add column media_type text,
  add column release text collate "C" check (release in ('SECURITY', 'FEATURE')),
  add column support_end date,
  add check (num_nulls(release, support_end) in (0, 2));
