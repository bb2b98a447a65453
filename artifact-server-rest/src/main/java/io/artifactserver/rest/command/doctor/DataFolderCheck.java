package io.artifactserver.rest.command.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Room and speed of the disk below the data folder. Immutable, thread-safe. */
record DataFolderCheck(Path folder) {
  /** Bytes; one large image. */
  private static final long LITTLE_ROOM = 1L << 30;

  private static final double LITTLE_SHARE = 0.1;

  /** Bytes a second; below it, every cold artifact is slower than the slowest network. */
  private static final double SLOW = 50e6;

  /** Measures, and leaves nothing behind. */
  List<Finding> findings() {
    Path existing = existing();
    String where = existing.equals(folder) ? "" : ", of " + existing + ": the folder is not there";
    List<Finding> findings = new ArrayList<>();
    try {
      findings.add(room(existing, where));
      findings.add(speed(DiskSpeed.measure(existing), where));
    } catch (IOException e) {
      findings.add(
          Finding.fail(
              "data folder",
              folder.toString(),
              "cannot be written to by this user: " + e,
              "chown -R %s %s".formatted(System.getProperty("user.name"), existing)));
    }
    return findings;
  }

  private Path existing() {
    Path candidate = folder.toAbsolutePath().normalize();
    while (!Files.isDirectory(candidate) && candidate.getParent() != null) {
      candidate = candidate.getParent();
    }
    return Files.isDirectory(folder) ? folder : candidate;
  }

  private static Finding room(Path existing, String where) throws IOException {
    var store = Files.getFileStore(existing);
    long usable = store.getUsableSpace();
    long total = store.getTotalSpace();
    String name = "disk room";
    String value = "%s free of %s%s".formatted(Amount.room(usable), Amount.room(total), where);
    String fix =
        "df -h %s && du -sh %1$s/*    # what takes the room; artifact-server.upload.max-total-size bounds it"
            .formatted(existing);
    if (usable < LITTLE_ROOM) {
      return Finding.fail(name, value, "the next large upload is refused with 507", fix);
    }
    return usable < total * LITTLE_SHARE
        ? Finding.warn(name, value, "less than a tenth", fix)
        : Finding.ok(name, value, "for artifacts");
  }

  private static Finding speed(DiskSpeed speed, String where) {
    String value =
        "write %s, read %s%s"
            .formatted(
                Amount.rate(speed.write()),
                speed.read().isPresent()
                    ? Amount.rate(speed.read().getAsDouble())
                    : "not measurable",
                where);
    String name = "disk speed";
    String meaning = "uploads, and downloads of artifacts that are not in memory, share that speed";
    return speed.write() < SLOW || speed.read().orElse(SLOW) < SLOW
        ? Finding.warn(
            name,
            value,
            meaning,
            "./artifact-server --artifact-server.data-dir=/folder/on/a/faster/disk")
        : Finding.ok(name, value, meaning);
  }
}
