package io.artifactserver.rest.endtoend;

import org.junit.jupiter.params.provider.EnumSource;

/** {@link RangeSets} of files, plain and encrypted. */
@EnumSource
class RangeSetPropertyIT extends RangeSets {
  @Override
  int sets() {
    return 60;
  }
}
