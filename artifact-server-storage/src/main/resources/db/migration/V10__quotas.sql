-- Of repositories that have one; null is no limit.
create table repository_quota (
  repository_id bigint primary key references repository (id) on delete cascade,
  bytes bigint check (bytes >= 0),
  artifacts bigint check (artifacts >= 0)
);
