-- Documents about artifacts. One belongs to the bytes that a path has, not to the artifact's row: a deletion that is taken
-- back finds them again.
create table attachment (
  id bigint generated always as identity primary key,
  repository_id bigint not null references repository (id) on delete cascade,
  path text collate "C" not null check (octet_length(path) between 1 and 1024),
  artifact_sha256 bytea not null check (octet_length(artifact_sha256) = 32),
  sha256 bytea not null check (octet_length(sha256) = 32),
  kind text collate "C" not null check (kind in ('SBOM', 'VEX', 'SIGNATURE', 'PROVENANCE', 'NOTES')),
  media_type text not null,
  format text not null,
  label_keys text[] not null,
  label_values text[] not null,
  length integer not null check (length = octet_length(content)),
  content bytea not null,
  -- The digest of the artifact that a signature is made over, if the artifact's own digests lack it.
  signed_digest bytea not null check (octet_length(signed_digest) in (0, 64)),
  created_at timestamptz not null,
  unique (repository_id, path, artifact_sha256, sha256)
);


-- The artifacts that a VEX calls affected.
create table attachment_affected (
  attachment_id bigint not null references attachment (id) on delete cascade,
  sha256 bytea not null check (octet_length(sha256) = 32),
  vulnerability text collate "C" not null check (octet_length(vulnerability) between 1 and 255),
  primary key (attachment_id, sha256, vulnerability)
);

-- A VEX is asked for by its own digest.
create index attachment_vex on attachment (repository_id, sha256) where kind = 'VEX';

-- A hold keeps what is known of an artifact as it keeps the artifact.
create function attachment_is_held() returns trigger language plpgsql as $$
begin
  if exists (
    select from artifact a join blob b on b.id = a.blob_id
    where a.repository_id = old.repository_id and a.path = old.path and a.held_until > now()
      and b.sha256 = old.artifact_sha256)
  then
    raise exception 'artifact % is held, and its attachments with it', old.path
      using errcode = 'insufficient_privilege';
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end
$$;

create trigger attachments_of_held_artifacts_stay
  before delete or update on attachment
  for each row execute function attachment_is_held();

-- Whoever has one of these keys vouches for releases of the repository. Without a key, everything is released.
create table trusted_key (
  repository_id bigint not null references repository (id) on delete cascade,
  name text collate "C" not null check (octet_length(name) between 1 and 64),
  format text collate "C" not null check (format in ('MINISIGN', 'CMS')),
  key text not null check (length(key) <= 16384),
  primary key (repository_id, name)
);
