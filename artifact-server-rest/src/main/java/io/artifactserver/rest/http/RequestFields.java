package io.artifactserver.rest.http;

import java.util.Optional;

/** The fields of a request, as a plan reads them. */
@FunctionalInterface
public interface RequestFields {
  /**
   * The value of a field.
   *
   * @param name case-insensitive
   * @return the value; the lines of a repeated field joined with a comma (RFC 9110, section 5.3);
   *     empty if the field is absent
   */
  Optional<String> value(String name);
}
