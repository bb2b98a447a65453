-- What each device was sent of each artifact's bytes: one row however many ranges it asked for.
create table progress (
  repository_id bigint not null references repository (id) on delete cascade,
  sha256 bytea not null check (octet_length(sha256) = 32),
  device text collate "C" not null check (octet_length(device) between 1 and 2048),
  delivered bytea not null,
  updated_at timestamptz not null,
  primary key (repository_id, sha256, device)
);

create index progress_updated on progress (updated_at);
