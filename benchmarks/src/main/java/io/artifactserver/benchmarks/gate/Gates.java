package io.artifactserver.benchmarks.gate;

import static io.artifactserver.benchmarks.gate.Gate.atLeast;
import static io.artifactserver.benchmarks.gate.Gate.atMost;
import static io.artifactserver.benchmarks.gate.Term.time;

import io.artifactserver.benchmarks.gate.Term.Subject;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Every gate. A limit that is a ratio of times leaves room for noise: what it is there to catch is
 * many times slower, and GatesTest plants just that for each.
 */
final class Gates {
  private static final double KIBIBYTE = 1024;

  private static final Subject PREAD_0 = at("SeekBenchmark.pread", 0);
  private static final Subject PREAD_600 = at("SeekBenchmark.pread", 600_000_000);
  private static final Subject MAPPED_0 = at("SeekBenchmark.mappedCopy", 0);
  private static final Subject MAPPED_600 = at("SeekBenchmark.mappedCopy", 600_000_000);
  private static final Subject ENCRYPTED_0 = at("SeekBenchmark.encrypted", 0);
  private static final Subject ENCRYPTED_600 = at("SeekBenchmark.encrypted", 600_000_000);
  private static final Subject SKIP_600 = at("SeekBenchmark.legacySkipFully", 600_000_000);
  private static final Subject SKIPPING_DECRYPTION_600 =
      at("SeekBenchmark.legacyDecryption", 600_000_000);
  private static final Subject PLAIN_128K = at("SegmentBenchmark.plain", 600_000_000);
  private static final Subject ENCRYPTED_128K = at("SegmentBenchmark.encrypted", 600_000_000);
  private static final Subject PLAN_RANGE =
      new Subject("ResponsePlannerBenchmark.plan", Map.of("question", "RANGE"));
  private static final Subject PLAN_CHUNKS =
      new Subject("ResponsePlannerBenchmark.plan", Map.of("question", "CHUNKS_167"));
  private static final Subject PEEK =
      new Subject("CatalogLookupBenchmark.peek", Map.of("artifacts", "1000"));
  private static final Subject HASH_MAP =
      new Subject("CatalogLookupBenchmark.hashMap", Map.of("artifacts", "1000"));

  private static final Term SHA_256 = time("UpdateFormsBenchmark.sha256", Map.of());

  private static final String WINDOW_SOURCE =
      "published for Bazel with the same parameters: 812 to 68 ms, 12,849 to 991 ms";

  static final List<Gate> ALL =
      List.of(
          flat("seek, pread: 600 MB / 0", PREAD_600, PREAD_0),
          flat("seek, map: 600 MB / 0", MAPPED_600, MAPPED_0),
          flat("seek, encrypted: 600 MB / 0", ENCRYPTED_600, ENCRYPTED_0),
          skip("seek: commons-io's skip / pread", PREAD_600),
          skip("seek: commons-io's skip / map", MAPPED_600),
          atLeast(
              "seek: skipping decryption / encrypted",
              time(SKIPPING_DECRYPTION_600),
              time(ENCRYPTED_600),
              100,
              "Nothing decrypts and discards the bytes before a range.",
              "measured before the first line was written: 360 to 660 ms against 0.05 ms"),
          atMost(
              "encryption: 128 KiB encrypted / plain",
              time(ENCRYPTED_128K),
              time(PLAIN_128K),
              6,
              "A range is decrypted without reading or decrypting much beside it.",
              "by processor, a copy against AES: 2.6 to 3.6 on AMD EPYC, 4.2 to 4.7 on an Intel Xeon,"
                  + " the same at commit 838b4a2; larger segments make it 20 and more"),
          garbage(
              "a range, pread",
              PREAD_600,
              16 * KIBIBYTE,
              "No buffer is made for a range; the collector would be what a device waits for.",
              "a quarter of the smallest useful buffer, in bytes"),
          garbage(
              "a range, map",
              MAPPED_600,
              1 * KIBIBYTE,
              "A mapped range is a lease and a slice.",
              "measured: 152 bytes"),
          garbage(
              "a range, encrypted 128 KiB",
              ENCRYPTED_128K,
              16 * KIBIBYTE,
              "Segments are decrypted in pooled buffers; stock Tink leaves 140 KB.",
              "issue 6; measured 3.2 KB when encryption came"),
          window("window, download of 32 x 1 KiB: 1 / 16", "download", "32x1024", 8),
          // It opens with 4 MiB and grows: measured 8.5, of which a busy machine takes a part.
          window("window, download of 32 x 1 MiB: 1 / 16", "download", "32x1048576", 6),
          window("window, upload of 32 x 1 KiB: 1 / 16", "upload", "32x1024", 8),
          atMost(
              "planner: 167 ranges / 1 range",
              time(PLAN_CHUNKS),
              time(PLAN_RANGE),
              100,
              "The checks of many ranges are linear: zchunk sends 167 at a time.",
              "167 would be linear; measured 30 to 40"),
          atMost(
              "planner: 1 range / reading its 128 KiB",
              time(PLAN_RANGE),
              time(PLAIN_128K),
              // Units: nanoseconds against microseconds.
              0.25 * 1000,
              "Deciding costs little beside doing.",
              "a budget of 2 us beside some 8; measured 0.2 to 0.3 us"),
          garbage(
              "a plan",
              PLAN_RANGE,
              1 * KIBIBYTE,
              "RAUC asks for thousands of ranges: cost per request is everything.",
              "the planner's budget; measured 288 bytes"),
          atMost(
              "catalog: warm lookup / hash map",
              time(PEEK),
              time(HASH_MAP),
              20,
              "A warm download asks nobody, on the connection's own thread.",
              "measured: 4 to 7"),
          garbage(
              "a warm lookup",
              PEEK,
              64,
              "Every request does it.",
              "measured: 16 bytes, the Optional"),
          atMost(
              "progress: ranges anywhere / in order",
              time("ProgressBenchmark.scattered", Map.of()),
              time("ProgressBenchmark.inOrder", Map.of()),
              6,
              "A fleet that shows one token costs a request what one device does.",
              "measured: 1.5, and some 400 when each range was merged at once"),
          atMost(
              "digests: side by side / one after the other",
              time("DigestBenchmark.all", Map.of()),
              time("DigestBenchmark.oneThread", Map.of()),
              0.85,
              "An upload's digests are computed on more than one processor.",
              "with two processors 0.5 at least; measured 0.6, and 0.7 on a busy machine"),
          atMost(
              "copy buffer: 64 KiB / fastest size",
              time("BufferSizeBenchmark.oneThread", Map.of("bufferLength", "65536")),
              Term.fastest(
                  Stream.of("8192", "65536", "262144", "1048576")
                      .map(length ->
                          new Subject(
                              "BufferSizeBenchmark.oneThread", Map.of("bufferLength", length)))
                      .toList()),
              2,
              "The buffer that downloads are copied with is not the wrong one.",
              "published: in one process the sizes tie; measured 1.4, and 2.5 with 8 KiB"),
          atMost(
              "server, 80 clients: map / 64 KiB buffer",
              time("ServerBufferBenchmark.download", Map.of("body", "mapped")),
              time("ServerBufferBenchmark.download", Map.of("body", "65536")),
              1.1,
              "A plain file goes out from its mapping because that is the fastest way.",
              "ADR 0002"),
          atMost(
              "server, 80 clients: 64 KiB / fastest buffer",
              time("ServerBufferBenchmark.download", Map.of("body", "65536")),
              Term.fastest(
                  Stream.of("8192", "65536", "262144")
                      .map(length ->
                          new Subject("ServerBufferBenchmark.download", Map.of("body", length)))
                      .toList()),
              1.3,
              "Encrypted and remote bodies go out through a buffer of the right size.",
              "published with Tomcat: 462 ms with 8 KB, 2,737 ms with 256 KB"),
          atMost(
              "update forms: chunker / SHA-256",
              time("UpdateFormsBenchmark.chunker", Map.of()),
              SHA_256,
              5,
              "Every upload is cut once, on a part of one processor.",
              "measured: 1.4, where the processor has instructions for SHA-256; less where not"),
          atMost(
              "update forms: MD4 of blocks / SHA-256",
              time("UpdateFormsBenchmark.md4", Map.of()),
              SHA_256,
              8,
              "Every upload's blocks are digested once, on a part of one processor.",
              "measured: 2.6, where the processor has instructions for SHA-256; less where not"),
          atMost(
              "update forms: index and control file / four digests",
              time("UpdateFormsBenchmark.forms", Map.of()),
              time("UpdateFormsBenchmark.digests", Map.of()),
              2.5,
              "What is computed after an upload costs no more than the upload did.",
              "issue 23; measured 1.0"),
          atMost(
              "chunk lookup / SHA-256 of a chunk",
              time("UpdateFormsBenchmark.find", Map.of()),
              time("UpdateFormsBenchmark.sha256OfChunk", Map.of()),
              0.1,
              "casync asks for thousands of chunks, each by its id.",
              "measured: 0.007, with 12,000 chunks"));

  private Gates() {}

  private static Subject at(String name, long position) {
    return new Subject(name, Map.of("position", Long.toString(position)));
  }

  private static Gate flat(String name, Subject far, Subject near) {
    return atMost(
        name,
        time(far),
        time(near),
        1.3,
        "A range costs what it weighs, wherever it is.",
        "published: 0.034 ms at each position after the fix of the skip");
  }

  private static Gate skip(String name, Subject ours) {
    return atLeast(
        name,
        time(SKIP_600),
        time(ours),
        100,
        "Nothing reads and discards the bytes before a range.",
        "published: 27.21 against 0.034 ms, 800 times; a tenth of it or so is left to noise");
  }

  private static Gate garbage(
      String what, Subject subject, double bytes, String reason, String source) {
    return atMost("garbage of " + what, Term.garbage(subject), Term.ONE, bytes, reason, source);
  }

  private static Gate window(String name, String method, String chunks, double limit) {
    return atLeast(
        name,
        chunks(method, chunks, 1),
        chunks(method, chunks, 16),
        limit,
        "Chunks of a remote backend are fetched and sent ahead, 16 at a time.",
        WINDOW_SOURCE);
  }

  private static Term chunks(String method, String chunks, int window) {
    return time(
        "ChunkedTransferBenchmark." + method,
        Map.of("chunks", chunks, "window", Integer.toString(window), "schedulerThreads", "2"));
  }
}
