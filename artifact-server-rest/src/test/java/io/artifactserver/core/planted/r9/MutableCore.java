package io.artifactserver.core.planted.r9;

/** State that moves under its readers. */
final class MutableCore {
  private int count;

  int next() {
    return count++;
  }
}
