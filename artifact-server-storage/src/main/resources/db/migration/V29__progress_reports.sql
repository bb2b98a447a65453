-- Devices say whether they could install what they were sent.
alter table progress
  drop constraint progress_error_check,
  add constraint progress_error_check check (error in ('ABORTED', 'FAILED', 'REPORTED'));
