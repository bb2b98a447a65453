-- Which devices a repository has, and what one device has.
create index progress_device on progress (repository_id, device);
