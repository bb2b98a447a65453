package io.artifactserver.rest.delivery.answer;

import io.artifactserver.rest.http.RequestFields;
import java.util.Objects;
import java.util.Optional;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;

/**
 * A request's fields as Jetty has them. A plan asks for half a dozen, most of them absent or there
 * once: those cost no copy (ResponsePlannerBenchmark).
 *
 * @param fields of the request
 */
public record JettyRequestFields(HttpFields fields) implements RequestFields {
  @Override
  public Optional<String> value(String name) {
    @Nullable String joined = null;
    for (HttpField field : fields) {
      if (field.is(name)) {
        String value = Objects.requireNonNullElse(field.getValue(), "");
        joined = joined == null ? value : joined + ", " + value;
      }
    }
    return Optional.ofNullable(joined);
  }
}
