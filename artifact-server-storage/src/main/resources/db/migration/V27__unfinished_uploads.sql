-- Uploads over several requests. The states change at every checkpoint, and are read only when an
-- upload goes on: they are kept out of line and not compressed, as they are digests and checksums.
-- No reference to repository or blob: an upload may end after its repository, and its blob is not
-- there yet. Complete ones stay until they expire, for clients whose last answer was lost.
create table unfinished_upload (
  id text collate "C" primary key check (id ~ '^[0-9a-f]{32}$'),
  owner text not null,
  repository text collate "C" not null,
  path text collate "C" not null,
  media_type text not null,
  length bigint check (length >= 0),
  expected_digests text[] not null,
  encrypted boolean not null,
  blob_key text collate "C" not null unique check (blob_key ~ '^[0-9a-f]{32}$'),
  position bigint not null check (position >= 0 and position <= length),
  digest_states bytea not null,
  store_state bytea not null,
  is_open boolean not null,
  is_complete boolean not null,
  expires_at timestamptz not null,
  -- Whether other uploads get its bytes; ids of those that it gets its bytes from, and how many of
  -- these are in its bytes.
  is_part boolean not null,
  parts text[] not null,
  parts_in_place integer not null check (parts_in_place between 0 and cardinality(parts)),
  -- As the client sent it.
  metadata text not null
);

alter table unfinished_upload alter column digest_states set storage external;
alter table unfinished_upload alter column store_state set storage external;

create index unfinished_upload_expiry on unfinished_upload (expires_at);
