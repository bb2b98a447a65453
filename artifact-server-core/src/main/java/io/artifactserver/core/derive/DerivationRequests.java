package io.artifactserver.core.derive;

/** Where to say that there may be something to derive. Thread-safe. */
public interface DerivationRequests {
  /** Has missing forms computed in the background. No I/O. */
  void deriveSoon();
}
