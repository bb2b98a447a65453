package io.artifactserver.rest.api.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.audit.AuditRecord;
import io.artifactserver.rest.command.Commands;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** The verdicts of {@code audit verify} on an export, and on every way to bend one. */
class AuditCommandTest {
  private static final Instant AT = Instant.parse("2026-01-02T03:04:05.678901Z");

  @TempDir private Path folder;

  private final List<AuditRecord> records = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();
  private final StringWriter output = new StringWriter();
  private final StringWriter errors = new StringWriter();

  AuditCommandTest() {
    records.add(AuditRecord.first(AT, entry(1)));
    for (int i = 2; i <= 4; i++) {
      records.add(records.getLast().next(AT.plusSeconds(i), entry(i)));
    }
    records.forEach(record -> lines.add(AuditLines.line(record)));
  }

  private static String entry(int number) {
    return "{\"name\":\"n%d\",\"path\":\"/a/é\",\"status\":403,\"outcome\":\"refused\",\"after\":{\"rate\":null}}"
        .formatted(number);
  }

  @Test
  void anExportAsItCameIsUnbroken() throws Exception {
    assertThat(verify()).isZero();
    assertThat(output.toString()).startsWith("4 entries, unbroken.").contains(digest(4));
  }

  /** The digests are right in all of them. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "\"name\":\"n3\" | \"name\":\"n9\"",
        "\"status\":403 | \"status\":200",
        "\"status\":403 | \"status\":4.03E2",
        "\"outcome\":\"refused\" | \"outcome\":\"changed\"",
        "\"after\":{\"rate\":null} | \"after\":{}",
        "\"after\": | \"before\":",
        "\"event\":{ | \"event\":{\"more\":1,",
        "\"event\":{ | \"event\":{},\"event\":{",
        "\"signed\": | \"event\":{\"name\":\"n9\"},\"signed\":",
        "{\"id\":3 | {\"note\":\"approved\",\"id\":3",
        "{\"id\":3 | {\"id\":9,\"id\":3",
        "\"at\":\"2026-01-02T03:04:08.678901Z\" | \"at\":\"2026-01-02T04:04:08.678901+01:00\"",
        "/a/é | /a/\\u00e9",
      })
  void aLineThatDoesNotReadAsItIsSignedWasChanged(String from, String to) throws Exception {
    bend(from, to);
    assertThat(verify()).isEqualTo(1);
    assertThat(errors.toString()).contains("Entry 3 was changed");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "\"id\":3 | \"id\":5",
        "03:04:08.678901Z | 03:04:08.678902Z",
        "signed\":\"{\\\"name\\\":\\\"n3 | signed\":\"{\\\"name\\\":\\\"n9",
        "\"previous\":\" | \"previous\":\"0",
        "\"digest\":\" | \"digest\":\"0",
      })
  void aFieldWithAnotherDigestWasChanged(String from, String to) throws Exception {
    bend(from, to);
    assertThat(verify()).isEqualTo(1);
    assertThat(errors.toString()).contains("was changed");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{}", "nonsense", "", "[]", "null", "{\"id\":3}", "{\"id\":3,\"at\":null}"})
  void whatIsNoEntryIsNamedByTheOneBefore(String line) throws Exception {
    lines.set(2, line);
    assertThat(verify()).isEqualTo(1);
    assertThat(errors.toString()).contains("The line after entry 2 is not a line of the audit");
  }

  @Test
  void anEntryThatSignsNothingReadableIsNone() throws Exception {
    for (String entry : new String[] {"no JSON", "", "{\"a\":1} {\"a\":2}", "{\"a\":1,\"a\":2}"}) {
      AuditRecord record = records.get(2).next(AT, entry);
      lines.set(
          3,
          "{\"id\":4,\"at\":\"%s\",\"event\":{\"a\":1},\"signed\":\"%s\",\"previous\":\"%s\",\"digest\":\"%s\"}"
              .formatted(AT, entry.replace("\"", "\\\""), record.previous(), record.digest()));
      assertThat(verify()).as(entry).isEqualTo(1);
      assertThat(errors.toString())
          .as(entry)
          .containsAnyOf("Entry 4 was changed", "entry 3 is not");
    }
  }

  @Test
  void whatIsMissingOrInAnotherOrderIsFound() throws Exception {
    List<String> all = List.copyOf(lines);
    lines.remove(0);
    assertThat(verify()).isEqualTo(1);
    assertThat(errors.toString())
        .contains("Entries before 2 are missing, and no entry says that the server removed them");
    lines.clear();
    lines.addAll(List.of(all.get(0), all.get(2), all.get(3)));
    assertThat(verify()).isEqualTo(1);
    assertThat(errors.toString()).contains("Entry 3 does not follow entry 1");
    lines.clear();
    lines.addAll(List.of(all.get(0), all.get(2), all.get(1), all.get(3)));
    assertThat(verify()).isEqualTo(1);
    lines.clear();
    lines.addAll(List.of(all.get(0), all.get(0)));
    assertThat(verify()).isEqualTo(1);
  }

  @Test
  void aLineCutInHalfIsFound() throws Exception {
    lines.set(3, lines.get(3).substring(0, 100));
    assertThat(verify()).isEqualTo(1);
    assertThat(errors.toString()).contains("The line after entry 3 is not a line of the audit");
  }

  /** An empty file, as curl leaves it when it fails. */
  @Test
  void anExportWithoutAnEntryIsNone() throws Exception {
    lines.clear();
    assertThat(verify()).isEqualTo(1);
    assertThat(errors.toString()).contains("has no entry");
  }

  @Test
  void anEndThatWasCutOffIsFoundByADigestThatWasKept() throws Exception {
    assertThat(verify("--kept=" + digest(3))).isZero();
    assertThat(verify("--kept=" + digest(4))).isZero();
    lines.removeLast();
    assertThat(verify()).isZero();
    assertThat(verify("--kept=" + digest(3))).isZero();
    assertThat(verify("--kept=" + digest(4))).isEqualTo(1);
    assertThat(errors.toString()).contains("No entry has the digest " + digest(4));
  }

  @Test
  void aChainThatWasWrittenAgainIsFoundByADigestThatWasKept() throws Exception {
    lines.clear();
    lines.add(AuditLines.line(AuditRecord.first(AT, entry(9))));
    assertThat(verify()).isZero();
    assertThat(verify("--kept=" + digest(1))).isEqualTo(1);
  }

  @Test
  void whatTheServerRemovedIsProvedByTheEntryThatSaysSo() throws Exception {
    remove(2);
    assertThat(verify()).isZero();
    assertThat(output.toString())
        .startsWith(
            "3 entries, unbroken; the server removed the 2 before them, and the audit has that.");
    // And once more, of which the first removal is a part or is not.
    remove(3);
    assertThat(verify()).isZero();
    remove(5);
    assertThat(verify()).isZero();
    assertThat(lines).hasSize(2);
    assertThat(verify("--kept=" + digest(5))).isZero();
    assertThat(verify("--kept=" + digest(7))).isZero();
    assertThat(verify("--kept=" + digest(4))).isEqualTo(1);
    assertThat(errors.toString())
        .contains("No entry has the digest")
        .contains("one of the first 5, which the server has removed");
  }

  @Test
  void whatSomebodyElseRemovedIsMissing() throws Exception {
    remove(2);
    lines.removeFirst();
    assertThat(verify()).isEqualTo(1);
    assertThat(errors.toString()).contains("Entries before 4 are missing");
    // A caller cannot make the server say so: the words that it chose are a part of the entry.
    String inside =
        "{\"caller\":\"t\",\"outcome\":\"changed\",\"after\":{\"outcome\":\"removed\",\"through\":3,\"digest\":\"%s\"}}"
            .formatted(digest(3));
    append(inside);
    assertThat(verify()).isEqualTo(1);
    for (Map<String, Object> wrong :
        List.<Map<String, Object>>of(
            Map.of("outcome", "removed", "through", 3, "digest", digest(2)),
            Map.of("outcome", "removed", "through", 2, "digest", digest(3)),
            Map.of("outcome", "removed"),
            Map.of("through", 3, "digest", digest(3)))) {
      append(JsonMapper.shared().writeValueAsString(wrong));
      assertThat(verify()).as("%s", wrong).isEqualTo(1);
    }
  }

  /** As the server does it. */
  private void remove(int through) {
    append(JsonMapper.shared().writeValueAsString(Removal.entry(records.get(through - 1))));
    while (AuditLines.parse(lines.getFirst()).id() <= through) {
      lines.removeFirst();
    }
  }

  private void append(String entry) {
    records.add(records.getLast().next(AT, entry));
    lines.add(AuditLines.line(records.getLast()));
  }

  private String digest(int id) {
    return records.get(id - 1).digest();
  }

  private void bend(String from, String to) {
    String line = lines.get(2);
    assertThat(line).contains(from);
    int at = line.indexOf(from);
    lines.set(2, line.substring(0, at) + to + line.substring(at + from.length()));
  }

  private int verify(String... options) throws Exception {
    output.getBuffer().setLength(0);
    errors.getBuffer().setLength(0);
    List<String> arguments = new ArrayList<>(List.of("verify"));
    arguments.add("--file=" + Files.write(folder.resolve("audit.jsonl"), lines));
    arguments.addAll(List.of(options));
    return Commands.line(new AuditCommand(), Map.of())
        .setOut(new PrintWriter(output, true))
        .setErr(new PrintWriter(errors, true))
        .execute(arguments.toArray(String[]::new));
  }
}
