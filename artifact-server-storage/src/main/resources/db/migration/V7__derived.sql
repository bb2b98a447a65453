-- What is computed of a blob after its upload and kept as a blob of its own, which is not in table
-- blob. Without a blob_key: the content gains nothing by the form.
create table derived (
  id bigint generated always as identity primary key,
  blob_id bigint not null references blob (id) on delete cascade,
  form text collate "C" not null check (form ~ '^[a-z0-9]{1,16}$'),
  blob_key text collate "C" unique check (blob_key ~ '^[0-9a-f]{32}$'),
  length bigint check (length >= 0),
  sha256 bytea check (octet_length(sha256) = 32),
  created_at timestamptz not null,
  unique (blob_id, form),
  check (num_nulls(blob_key, length, sha256) in (0, 3))
);
