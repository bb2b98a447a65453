-- Which artifacts of a repository have derived forms; all of those of a repository without a row.
create table repository_forms (
  repository_id bigint primary key references repository (id) on delete cascade,
  patterns text[] not null
);

-- The same as FormPaths.includes: * is any characters, nothing else is special.
create function fits_form_paths(path text, patterns text[]) returns boolean
  language sql immutable
  return exists (
    select from unnest(patterns) as pattern
    where path like
      replace(replace(replace(replace(pattern, '\', '\\'), '%', '\%'), '_', '\_'), '*', '%')
  );
