-- A revoked token stays on record: a file that still holds it must not bring it back.
alter table access_token add column revoked_at timestamptz;
