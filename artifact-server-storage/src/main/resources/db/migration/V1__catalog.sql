-- Names and paths sort by code point (collation "C" over UTF-8), the same on every machine.

create table installation (
  id uuid not null default gen_random_uuid(),
  singleton boolean primary key default true check (singleton)
);

insert into installation default values;

create table repository (
  id bigint generated always as identity primary key,
  name text collate "C" not null unique check (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'),
  public boolean not null,
  encrypted boolean not null,
  created_at timestamptz not null
);

create table blob (
  id bigint generated always as identity primary key,
  blob_key text collate "C" not null unique check (blob_key ~ '^[0-9a-f]{32}$'),
  length bigint not null check (length >= 0),
  encrypted boolean not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  created_at timestamptz not null,
  retired_at timestamptz,
  unique (sha256, encrypted)
);

create index blob_retired on blob (retired_at, id) where retired_at is not null;

create table blob_digest (
  blob_id bigint not null references blob (id) on delete cascade,
  algorithm text collate "C" not null,
  value bytea not null check (octet_length(value) between 16 and 64),
  primary key (blob_id, algorithm)
);

create index blob_digest_value on blob_digest (algorithm, value);

create table artifact (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repository (id),
  path text collate "C" not null check (octet_length(path) between 1 and 1024),
  blob_id bigint not null references blob (id),
  media_type text not null,
  created_at timestamptz not null,
  unique (repository_id, path)
);

create index artifact_blob on artifact (blob_id, repository_id);

create table access_token (
  id text collate "C" primary key check (id <> ''),
  name text not null,
  role text not null check (role in ('OPERATOR', 'DEVICE')),
  secret_digest text not null check (secret_digest ~ '^[0-9a-f]{64}$'),
  created_at timestamptz not null
);

create table access_token_repository (
  token_id text collate "C" not null references access_token (id) on delete cascade,
  repository text collate "C" not null,
  primary key (token_id, repository)
);
