package io.artifactserver.storage.remote.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.InMemoryBlobStore;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class JournaledUploadTest {
  private static final String KEY = "0123456789abcdef0123456789abcdef";

  @TempDir private Path folder;

  /** Its next checkpoint must come soon, and begins another one. */
  @Test
  void aJournalThatCannotBeWrittenIsToldOf(CapturedOutput output) throws Exception {
    Path journals = folder.resolve("journals");
    try (BlobUpload upload =
        UploadJournals.in(journals).begun(new InMemoryBlobStore().begin(KEY))) {
      write(upload);
      assertThat(upload.isRecoverable()).as("before the first checkpoint").isFalse();
      byte[] _ = upload.checkpointAndGoOn();
      write(upload);
      assertThat(upload.isRecoverable()).isTrue();
      assertThat(output).doesNotContain("has no journal");

      delete(journals);
      byte[] _ = upload.checkpointAndGoOn();
      write(upload);
      assertThat(upload.isRecoverable()).isFalse();
      assertThat(output).containsOnlyOnce("WARN").contains(KEY + " has no journal", KEY + ".2");

      Files.createDirectory(journals);
      byte[] _ = upload.checkpointAndGoOn();
      assertThat(upload.isRecoverable()).isTrue();
    }
  }

  private static void write(BlobUpload upload) throws Exception {
    upload.write(ByteBuffer.wrap(new byte[] {1}));
  }

  private static void delete(Path folder) throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
