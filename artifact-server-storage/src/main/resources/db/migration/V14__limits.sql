-- How fast repositories may be read; null is no limit.
create table repository_limits (
  repository_id bigint primary key references repository (id) on delete cascade,
  bytes_per_second bigint check (bytes_per_second > 0),
  concurrent_downloads bigint check (concurrent_downloads > 0)
);
