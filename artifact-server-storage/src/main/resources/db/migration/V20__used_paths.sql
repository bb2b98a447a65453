-- What each path had whose artifact was deleted, so that it never takes other bytes: one row a path,
-- however often it was deleted. Rows stay for ever; there are no more than artifacts were deleted.
create table used_path (
  repository_id bigint not null references repository (id),
  path text collate "C" not null check (octet_length(path) between 1 and 1024),
  sha256 bytea not null check (octet_length(sha256) = 32),
  deleted_at timestamptz not null,
  primary key (repository_id, path)
);

alter table repository
  add column mutable boolean not null default false,
  add column max_age_seconds integer not null default 300
    check (max_age_seconds between 0 and 31536000);
