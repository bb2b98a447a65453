package io.artifactserver.rest.poison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PoisonTest {
  private final PoisonedPool pool = new PoisonedPool();

  @BeforeEach
  void nothingIsReportedYet() {
    assertThat(Faults.take()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aReleasedBufferIsFullOfThePattern(boolean direct) {
    RetainableByteBuffer buffer = pool.acquire(65_536, direct);
    ByteBuffer bytes = buffer.getByteBuffer();
    bytes.clear().put(65_535, (byte) 1);

    buffer.release();

    assertThat(all(bytes)).containsOnly(Poison.PATTERN);
    assertThat(Faults.take()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4_095})
  void theNextOwnerReportsAWriteAfterTheRelease(int position) {
    for (int round = 0; round < 3; round++) {
      RetainableByteBuffer buffer = pool.acquire(4_096, true);
      ByteBuffer bytes = buffer.getByteBuffer();
      releasedHere(buffer);

      bytes.clear().put(position, (byte) 0x41);
      pool.acquire(4_096, true).release();

      assertThat(Faults.take())
          .singleElement()
          .asString()
          .startsWith(Faults.BUFFER + "byte " + position + " of 4096")
          .contains("0x41", "releasedHere");
    }
  }

  private static void releasedHere(RetainableByteBuffer buffer) {
    buffer.release();
  }

  @Test
  void aSecondReleaseIsReportedAndLeavesTheNextOwnerAlone() {
    RetainableByteBuffer first = pool.acquire(4_096, true);
    releasedHere(first);
    RetainableByteBuffer second = pool.acquire(4_096, true);
    second.getByteBuffer().clear().put(0, (byte) 0x42);

    assertThatThrownBy(first::release).isInstanceOf(IllegalStateException.class);

    assertThat(second.getByteBuffer().get(0)).isEqualTo((byte) 0x42);
    assertThat(Faults.take()).singleElement().asString().contains("too often", "releasedHere");
    second.release();
    assertThat(Faults.take()).isEmpty();
  }

  @Test
  void aBufferIsNotRetainedAfterItsRelease() {
    RetainableByteBuffer buffer = pool.acquire(4_096, true);
    buffer.release();

    assertThatThrownBy(buffer::retain).isInstanceOf(IllegalStateException.class);

    assertThat(Faults.take()).singleElement().asString().contains("retained after");
  }

  @Test
  void aSliceKeepsTheBuffer() {
    RetainableByteBuffer.Mutable buffer = pool.acquire(4_096, true);
    buffer.append(ByteBuffer.wrap(new byte[] {1, 2, 3}));
    RetainableByteBuffer slice = buffer.slice(2);

    assertThat(buffer.release()).isFalse();
    assertThat(slice.get(1)).isEqualTo((byte) 2);
    assertThat(slice.release()).isTrue();

    assertThat(slice.getByteBuffer().get(0)).isEqualTo(Poison.PATTERN);
    assertThat(Faults.take()).isEmpty();
  }

  @Test
  void jettysChangedPoolReportsTheSame(@TempDir Path folder) throws Exception {
    try (URLClassLoader changed = changed(folder)) {
      Object poisoned =
          changed.loadClass(ArrayByteBufferPool.class.getName()).getConstructor().newInstance();
      Method acquire = poisoned.getClass().getMethod("acquire", int.class, boolean.class);
      Class<?> type = changed.loadClass(RetainableByteBuffer.class.getName());
      Object buffer = acquire.invoke(poisoned, 4_096, true);
      ByteBuffer bytes = (ByteBuffer) type.getMethod("getByteBuffer").invoke(buffer);
      Method release = type.getMethod("release");
      release.invoke(buffer);
      assertThat(all(bytes)).containsOnly(Poison.PATTERN);

      bytes.clear().put(7, (byte) 0x41);
      release.invoke(acquire.invoke(poisoned, 4_096, true));
      assertThatThrownBy(() -> release.invoke(buffer))
          .isInstanceOf(InvocationTargetException.class);

      assertThat(faults(changed))
          .satisfiesExactly(
              fault -> assertThat(fault).startsWith(Faults.BUFFER + "byte 7 of 4096"),
              fault -> assertThat(fault).startsWith(Faults.BUFFER).contains("too often"));
    }
  }

  @Test
  void jettysChangedClassesReportWhatTheyCatch(@TempDir Path folder) throws Exception {
    try (URLClassLoader changed = changed(folder)) {
      Class<?> type = changed.loadClass(Callback.class.getName());
      Object callback =
          type.getMethod("from", Runnable.class, type)
              .invoke(
                  null,
                  (Runnable)
                      () -> {
                        throw new IllegalArgumentException("nobody logs this");
                      },
                  type.getField("NOOP").get(null));

      type.getMethod("succeeded").invoke(callback);

      assertThat(faults(changed))
          .singleElement()
          .asString()
          .startsWith(Faults.CAUGHT + "in org.eclipse.jetty.util.Callback")
          .contains("nobody logs this");
    }
  }

  private static List<String> faults(ClassLoader changed) throws ReflectiveOperationException {
    List<String> faults = new ArrayList<>();
    for (Object fault :
        (List<?>) changed.loadClass(Faults.class.getName()).getMethod("take").invoke(null)) {
      faults.add((String) fault);
    }
    return faults;
  }

  private static URLClassLoader changed(Path folder)
      throws IOException, ReflectiveOperationException {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path jar = Path.of(entry);
      String name = jar.getFileName().toString();
      if (Stream.of("jetty-io-", "jetty-util-", "slf4j-api-").anyMatch(name::startsWith)) {
        Path copy = folder.resolve(name);
        Files.copy(jar, copy);
        urls.add(copy.toUri().toURL());
      }
    }
    PoisonedJars.change(folder);
    URLClassLoader changed =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    changed.loadClass(Faults.class.getName()).getMethod("keep").invoke(null);
    return changed;
  }

  private static byte[] all(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.capacity()];
    buffer.duplicate().clear().get(bytes);
    return bytes;
  }
}
