package io.artifactserver.rest.hawkbit;

import org.jspecify.annotations.Nullable;

/**
 * The client whose turn a question to hawkBit takes. Immutable.
 *
 * @param account shares its turns; null if nobody knows whose the question is
 * @param isKnown whether hawkBit has granted the device something with this token
 */
record Asker(@Nullable Object account, boolean isKnown) {
  /** Returns the asker of whom nothing is known but an address; null if that says nothing. */
  static Asker stranger(@Nullable Object address) {
    return new Asker(address, false);
  }

  /** Returns the asker of a device whose token hawkBit has found good. */
  static Asker known(Object account) {
    return new Asker(account, true);
  }
}
