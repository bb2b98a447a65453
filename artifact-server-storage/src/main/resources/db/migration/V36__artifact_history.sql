-- The artifact that an entry is about, as JSON names it: "repository":"...","path":"...". Quotes in
-- values are escaped, so nobody's name or comment looks like it. Null if nothing was changed.
create function audit_artifact(entry text) returns text
language sql immutable strict parallel safe as $$
  select case when entry like '%"outcome":"changed"%'
    then left(substring(entry from '"repository":"[^"]+","path":"(?:[^"\\]|\\.)*"'), 600)
  end
$$;

-- The history of an artifact is found without reading the audit.
create index audit_of_artifact on audit (audit_artifact(entry), id)
  where audit_artifact(entry) is not null;

create index channel_change_of_release on channel_change (repository_id, release, changed_at);
