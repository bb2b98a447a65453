-- Every state that each channel had; the last one counts, and one without a release deleted the
-- channel. Rows stay for ever: retention asks what channels pointed to.
create table channel_change (
  repository_id bigint not null references repository (id),
  channel text collate "C" not null check (channel ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'),
  version bigint not null check (version > 0),
  release text collate "C" check (octet_length(release) between 1 and 1024),
  restored bigint not null check (restored between 1 and version),
  comment text not null,
  changed_at timestamptz not null,
  primary key (repository_id, channel, version)
);
