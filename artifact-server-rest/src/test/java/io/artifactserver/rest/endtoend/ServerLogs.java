package io.artifactserver.rest.endtoend;

import io.artifactserver.rest.poison.Faults;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails the test in which a server used a buffer after its release, or in which Jetty caught or
 * logged an exception, unless the test {@linkplain ExpectsLog expects} it. Applies to every test,
 * without a word in its class.
 */
public final class ServerLogs implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {
  /** A line of Jetty's at WARN or above, whose logger is abbreviated more or less. */
  private static final Pattern JETTY_WARNS =
      Pattern.compile("\\s(WARN|ERROR)\\s.*\\so(rg)?\\.e(clipse)?\\.j(etty)?\\.");

  private static final Pattern EXCEPTION =
      Pattern.compile("^[\\w.$]+\\.[\\w$]*(Exception|Error|Throwable|Failure)\\b.*");

  /** An exception that is logged without its stack. */
  private static final Pattern NAMED_EXCEPTION =
      Pattern.compile("\\b\\w+\\.\\w*(Exception|Error)\\b");

  /** A further line of an exception. */
  private static final Pattern STACK = Pattern.compile("^(\\s|Caused by: ).*");

  /** Lines of a stack that say enough. */
  private static final int SHOWN = 60;

  /** Checks whose patterns still count: of a test, of its class and of the next test. */
  private static final int REMEMBERED = 3;

  /** The patterns of the last checks. Guarded by the class. */
  private static final Deque<List<Pattern>> RECENT = new ArrayDeque<>();

  /** The length of each log that has been looked at. */
  private static final Map<Path, Integer> SEEN = new ConcurrentHashMap<>();

  static {
    Faults.keep();
  }

  /** Looks at a server's log after each test from now on. */
  static void watch(Path log) {
    SEEN.put(log, 0);
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    context
        .getRoot()
        .getStore(ExtensionContext.Namespace.create(ServerLogs.class))
        .computeIfAbsent(
            "end", key -> (AutoCloseable) () -> check(List.of(), "the end of the last server"));
  }

  @Override
  public void afterEach(ExtensionContext context) {
    check(expected(context), "this test, or shortly before it");
  }

  @Override
  public void afterAll(ExtensionContext context) {
    check(expected(context), "this class, after its last test");
  }

  private static List<Pattern> expected(ExtensionContext context) {
    return Stream.concat(
            context.getTestMethod().stream(),
            Stream.concat(
                context.getTestClass().stream(), context.getEnclosingTestClasses().stream()))
        .flatMap(element -> Optional.ofNullable(element.getAnnotation(ExpectsLog.class)).stream())
        .flatMap(expects -> Stream.of(expects.value()))
        .map(Pattern::compile)
        .toList();
  }

  /** The last ones too: a busy server may log a fault when the test that expects it is over. */
  private static synchronized List<Pattern> tolerated(List<Pattern> expected) {
    RECENT.addLast(expected);
    if (RECENT.size() > REMEMBERED) {
      RECENT.removeFirst();
    }
    return RECENT.stream().flatMap(List::stream).toList();
  }

  private static void check(List<Pattern> expected, String when) {
    List<Pattern> tolerated = tolerated(expected);
    List<String> faults = new ArrayList<>(Faults.take());
    SEEN.replaceAll((log, seen) -> seen + read(log, seen, faults));
    faults.removeIf(fault -> tolerated.stream().anyMatch(pattern -> pattern.matcher(fault).find()));
    if (!faults.isEmpty()) {
      throw new AssertionError(
          "%d faults in %s (%s):%n%s"
              .formatted(
                  faults.size(),
                  when,
                  ExpectsLog.class.getSimpleName(),
                  String.join("\n", faults.subList(0, Math.min(5, faults.size())))));
    }
  }

  /** Returns how many bytes of the log are new, in whole lines. */
  private static int read(Path log, int from, List<String> faults) {
    try {
      if (Files.size(log) <= from) {
        return 0;
      }
      byte[] bytes = Files.readAllBytes(log);
      int end = bytes.length;
      while (end > from && bytes[end - 1] != '\n') {
        end--;
      }
      String text = new String(bytes, from, end - from, StandardCharsets.UTF_8);
      faults.addAll(faults(text));
      return end - from;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the faults that a log tells of, each with its stack. */
  static List<String> faults(String log) {
    // An empty line comes before each stack, and another one behind it.
    List<String> lines = log.lines().filter(line -> !line.isEmpty()).toList();
    List<String> faults = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      boolean isWarning = JETTY_WARNS.matcher(line).find();
      boolean isLogged =
          isWarning && i + 1 < lines.size() && EXCEPTION.matcher(lines.get(i + 1)).matches();
      boolean isNamed = isWarning && NAMED_EXCEPTION.matcher(line).find();
      if (isLogged || isNamed || line.startsWith(Faults.BUFFER) || line.startsWith(Faults.CAUGHT)) {
        Stream<String> stack =
            lines.stream()
                .skip(i + (isLogged ? 2 : 1))
                .takeWhile(further -> STACK.matcher(further).matches())
                .limit(SHOWN);
        String start = isLogged ? line + "\n" + lines.get(i + 1) : line;
        faults.add(Stream.concat(Stream.of(start), stack).collect(Collectors.joining("\n")));
      }
    }
    return faults;
  }
}
