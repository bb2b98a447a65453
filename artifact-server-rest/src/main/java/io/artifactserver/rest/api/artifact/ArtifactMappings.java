package io.artifactserver.rest.api.artifact;

import io.artifactserver.rest.http.BelowArtifact;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Method;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.customizers.RouterOperationCustomizer;
import org.springdoc.core.fn.RouterOperation;
import org.springframework.boot.webmvc.autoconfigure.WebMvcRegistrations;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.stereotype.Component;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.condition.RequestCondition;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/**
 * Sends requests {@linkplain BelowArtifact below an artifact} to the methods that {@linkplain
 * AnswersBelow answer} them, and no others; and describes these methods at their own addresses.
 * Thread-safe.
 */
@Component
public class ArtifactMappings implements WebMvcRegistrations, RouterOperationCustomizer {
  @Override
  public RequestMappingHandlerMapping getRequestMappingHandlerMapping() {
    return new RequestMappingHandlerMapping() {
      @Override
      protected RequestCondition<?> getCustomMethodCondition(Method method) {
        return new Condition(below(method));
      }
    };
  }

  @Override
  public RouterOperation customize(RouterOperation operation, HandlerMethod handler) {
    below(handler.getMethod())
        .ifPresent(below -> operation.setPath(operation.getPath() + below.suffix()));
    return operation;
  }

  /** The address below an artifact that a method answers, if it does. */
  static Optional<BelowArtifact> below(Method method) {
    return Optional.ofNullable(
            AnnotatedElementUtils.findMergedAnnotation(method, AnswersBelow.class))
        .map(AnswersBelow::value);
  }

  /** Matches the requests that a method answers. */
  private record Condition(Optional<BelowArtifact> below) implements RequestCondition<Condition> {
    @Override
    public Condition combine(Condition other) {
      return other;
    }

    @Override
    public @Nullable Condition getMatchingCondition(HttpServletRequest request) {
      return BelowArtifact.find(request.getMethod(), request.getRequestURI()).equals(below)
          ? this
          : null;
    }

    @Override
    public int compareTo(Condition other, HttpServletRequest request) {
      return 0;
    }
  }
}
