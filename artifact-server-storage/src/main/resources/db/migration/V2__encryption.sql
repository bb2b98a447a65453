-- Deleting a row makes its blob unreadable for ever. No reference to blob: a data key is there before
-- its blob's row, and what a crash leaves is swept.
create table data_key (
  blob_key text collate "C" primary key check (blob_key ~ '^[0-9a-f]{32}$'),
  wrapped bytea not null,
  ring_key_id bigint not null,
  created_at timestamptz not null
);

create index data_key_ring_key on data_key (ring_key_id, blob_key);

alter table blob add column suspect_at timestamptz;

create index blob_suspect on blob (suspect_at) where suspect_at is not null;
