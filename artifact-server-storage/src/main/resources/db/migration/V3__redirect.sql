alter table repository add column redirects boolean not null default false;
