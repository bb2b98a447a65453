-- CRC32C of each 64 KiB of a remote blob's stored bytes. No reference to blob: they are there before
-- its row, and what a crash leaves is swept.
create table blob_checksum (
  blob_key text collate "C" primary key check (blob_key ~ '^[0-9a-f]{32}$'),
  crc32c bytea not null check (octet_length(crc32c) % 4 = 0),
  created_at timestamptz not null default now()
);
