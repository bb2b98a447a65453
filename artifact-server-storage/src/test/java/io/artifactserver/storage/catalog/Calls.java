package io.artifactserver.storage.catalog;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.RangeReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** Interfaces as a test sees to it that they are called. */
final class Calls {
  private Calls() {}

  /**
   * Returns the same, but that something happens before each call of a name, of it or what it
   * opens.
   */
  static <T> T before(String name, Class<T> type, T real, Action action) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              if (method.getName().equals(name)) {
                action.run();
              }
              return switch (invoke(real, method, arguments)) {
                case Blob blob -> before(name, Blob.class, blob, action);
                case BlobUpload upload -> before(name, BlobUpload.class, upload, action);
                case RangeReader reader -> before(name, RangeReader.class, reader, action);
                case Object other -> other;
                case null -> null;
              };
            }));
  }

  /** Calls the real one; what it throws is thrown. */
  static @Nullable Object invoke(Object real, Method method, Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** Something to do meanwhile. */
  @FunctionalInterface
  interface Action {
    void run() throws Exception;
  }
}
