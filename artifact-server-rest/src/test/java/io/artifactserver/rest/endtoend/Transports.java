package io.artifactserver.rest.endtoend;

import io.artifactserver.core.nightly.Nightly;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.AnnotationBasedArgumentsProvider;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** The transports on which a suite or a test runs. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ArgumentsSource(Transports.Provider.class)
@interface Transports {
  /** In every build. */
  Transport[] value();

  /**
   * Every night as well, as {@link Nightly} tests are: the same code answers on them, and other
   * suites take them in every build.
   */
  Transport[] nightly();

  final class Provider extends AnnotationBasedArgumentsProvider<Transports> {
    @Override
    protected Stream<? extends Arguments> provideArguments(
        ParameterDeclarations parameters, ExtensionContext context, Transports transports) {
      Stream<Transport> all = Stream.of(transports.value());
      if (Nightly.IS_NOW) {
        all = Stream.concat(all, Stream.of(transports.nightly()));
      }
      return all.map(Arguments::of);
    }
  }
}
