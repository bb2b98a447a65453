package io.artifactserver.storage.remote.journal;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.InMemoryBlobStore;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class JournaledUploadTest {
  private static final String KEY = "0123456789abcdef0123456789abcdef";

  private final Logger logger = (Logger) LoggerFactory.getLogger(UploadJournal.class);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @TempDir private Path folder;

  @BeforeEach
  void listen() {
    log.start();
    logger.addAppender(log);
  }

  @AfterEach
  void listenNoMore() {
    logger.detachAppender(log);
  }

  /** Its next checkpoint must come soon, and begins another one. */
  @Test
  void aJournalThatCannotBeWrittenIsToldOf() throws Exception {
    Path journals = folder.resolve("journals");
    try (BlobUpload upload =
        UploadJournals.in(journals).begun(new InMemoryBlobStore().begin(KEY))) {
      write(upload);
      assertThat(upload.isRecoverable()).as("before the first checkpoint").isFalse();
      byte[] _ = upload.checkpointAndGoOn();
      write(upload);
      assertThat(upload.isRecoverable()).isTrue();
      assertThat(log.list).isEmpty();

      delete(journals);
      byte[] _ = upload.checkpointAndGoOn();
      write(upload);
      assertThat(upload.isRecoverable()).isFalse();
      assertThat(log.list)
          .singleElement()
          .satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage()).contains(KEY);
            assertThat(line.getThrowableProxy().getMessage()).contains(KEY + ".2");
          });

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
