package io.artifactserver.rest.command.doctor;

/** How a finding is to be taken, from harmless to grave. */
enum Verdict {
  OK,

  /** The server works, but not as well as it could. */
  WARN,

  /** The server will not work as it should; the command ends with 1. */
  FAIL
}
