-- How fast some downloads may be, whatever their repositories: those that fit an entry of each list
-- that is not empty.
create table named_limit (
  name text primary key,
  bytes_per_second bigint not null check (bytes_per_second > 0),
  addresses text[] not null,
  roles text[] not null,
  callers text[] not null
);
