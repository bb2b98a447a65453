package io.artifactserver.rest.api.artifact;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.rest.http.RequestPath;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/**
 * Gives controllers the artifact that a request names, read from the raw path by the same rules as
 * on the data plane; the framework's own decoding drops path parameters. Thread-safe.
 */
public final class ArtifactIdResolver implements HandlerMethodArgumentResolver {
  private static final String ARTIFACTS = "/artifacts/";

  @Override
  public boolean supportsParameter(MethodParameter parameter) {
    return parameter.getParameterType() == ArtifactId.class;
  }

  @Override
  public ArtifactId resolveArgument(
      MethodParameter parameter,
      @Nullable ModelAndViewContainer container,
      NativeWebRequest webRequest,
      @Nullable WebDataBinderFactory binderFactory) {
    HttpServletRequest request = (HttpServletRequest) webRequest.getNativeRequest();
    String rawPath =
        ArtifactMappings.below(Objects.requireNonNull(parameter.getMethod()))
            .map(below -> below.artifact(request.getRequestURI()))
            .orElseGet(request::getRequestURI);
    int end = rawPath.indexOf('/', RepositoryView.PATH.length());
    String repository = RequestPath.decode(rawPath.substring(RepositoryView.PATH.length(), end));
    // Spring takes an address that ends in /artifacts for one with an empty path.
    int begin = Math.min(end + ARTIFACTS.length(), rawPath.length());
    return new ArtifactId(repository, RequestPath.decode(rawPath.substring(begin)));
  }
}
