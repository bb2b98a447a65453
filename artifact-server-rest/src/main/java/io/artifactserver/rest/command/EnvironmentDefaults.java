package io.artifactserver.rest.command;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Gives an option that has a property's name the value of the environment variable that Spring Boot
 * reads for the property, so that a command finds what the server finds. Immutable, thread-safe.
 */
record EnvironmentDefaults(Map<String, String> environment) implements IDefaultValueProvider {
  EnvironmentDefaults {
    environment = Map.copyOf(environment);
  }

  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    return argument instanceof OptionSpec option && option.longestName().contains(".")
        ? variables(option.longestName().substring(2))
            .map(environment::get)
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null)
        : null;
  }

  /** {@code a-b.c-d} as {@code AB_CD}, {@code AB_C_D} and {@code A_B_C_D}. */
  private static Stream<String> variables(String property) {
    String upper = property.toUpperCase(Locale.ROOT);
    int dot = upper.indexOf('.');
    String mixed =
        upper.substring(0, dot).replace("-", "") + upper.substring(dot).replace('-', '_');
    return List.of(upper.replace("-", ""), mixed, upper.replace('-', '_')).stream()
        .map(name -> name.replace('.', '_'));
  }
}
