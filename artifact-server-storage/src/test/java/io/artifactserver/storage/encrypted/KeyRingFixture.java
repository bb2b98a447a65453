package io.artifactserver.storage.encrypted;

import com.google.crypto.tink.aead.AeadConfig;
import io.artifactserver.core.blob.InMemoryDataKeyStore;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A folder for a ring, and blobs that are encrypted with it. */
abstract class KeyRingFixture {
  @TempDir Path folder;
  final InMemoryDataKeyStore dataKeys = new InMemoryDataKeyStore();
  final ByteArrayOutputStream output = new ByteArrayOutputStream();
  final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  /** As a program does that uses Tink itself: {@link KeyRingTest#aRingOfStockTinkIsRead}. */
  @BeforeAll
  static void registerStockTink() throws Exception {
    AeadConfig.register();
  }

  int keys(String... words) {
    List<String> arguments = new ArrayList<>(List.of(words));
    arguments.add("--artifact-server.data-dir=" + folder);
    return new CommandLine(new KeysCommand())
        .setOut(new PrintWriter(output, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(errors, true, StandardCharsets.UTF_8))
        .execute(arguments.toArray(String[]::new));
  }
}
