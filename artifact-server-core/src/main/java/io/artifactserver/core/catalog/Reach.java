package io.artifactserver.core.catalog;

/** How far a lookup may go. */
public enum Reach {
  /** No I/O. An empty answer says nothing: the database may know more. */
  MEMORY,

  /** Memory, then the database; may block. An empty answer says that there is nothing. */
  DATABASE
}
