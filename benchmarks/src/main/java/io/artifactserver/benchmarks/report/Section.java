package io.artifactserver.benchmarks.report;

import java.util.List;
import java.util.Map;

/**
 * How the page shows one benchmark class. Immutable.
 *
 * @param subject the class
 * @param columns the knob whose values are the columns
 * @param published what others measured
 */
record Section(
    String subject, String title, String text, String columns, List<Published> published) {
  Section {
    published = List.copyOf(published);
  }

  /**
   * A row of figures that are not ours.
   *
   * @param cells by the column's value
   */
  record Published(String label, Map<String, String> cells, String source) {
    Published {
      cells = Map.copyOf(cells);
    }
  }

  static final List<Section> ALL =
      List.of(
          new Section(
              "SeekBenchmark",
              "Seek",
              """
              One range of 1 MiB at several positions of a file of 800 MB that is warm in the page
              cache, one thread. `legacySkipFully` is the commons-io call that hawkBit's downloads
              made, `legacyDecryption` a `CipherInputStream`.\
              """,
              "position",
              List.of(
                  new Published(
                      "hawkBit, skip by reading",
                      Map.of(
                          "0", "34",
                          "100000000", "5,430",
                          "400000000", "20,650",
                          "600000000", "27,210"),
                      "published with the fix, on another machine"),
                  new Published(
                      "hawkBit, fixed",
                      Map.of("0", "34", "100000000", "34", "400000000", "34", "600000000", "34"),
                      "published with the fix, on another machine"))),
          new Section(
              "SegmentBenchmark",
              "Encryption",
              """
              One range of 128 KiB of an encrypted blob, every byte authenticated, beside the same of
              a plain one.\
              """,
              "position",
              List.of()),
          new Section(
              "BufferSizeBenchmark",
              "Copy buffers in one process",
              "100 MB of a warm file through copy buffers of several sizes into a sink that counts.",
              "bufferLength",
              List.of()),
          new Section(
              "ServerBufferBenchmark",
              "Copy buffers behind the engine",
              """
              One download of 1 MiB while 79 others run, through Jetty with the buffer sizes above,
              or as one slice of the mapped file, which is what the server does. Clients and server
              share two processors and one process, and connections are kept open: the clients' work
              dampens the differences.\
              """,
              "body",
              List.of(
                  new Published(
                      "Tomcat, 80 clients",
                      Map.of("8192", "462", "262144", "2,737"),
                      "published, on another machine, whole downloads"))),
          new Section(
              "ChunkedTransferBenchmark",
              "Chunk window",
              """
              A blob in chunks from and to a backend that answers each after 25 ms, give or take 10:
              the parameters with which Bazel's downloader was measured. A window of 1 is the
              baseline.\
              """,
              "window",
              List.of(
                  new Published(
                      "Bazel, 32x1024",
                      Map.of("1", "812", "16", "68"),
                      "published, on another machine"),
                  new Published(
                      "Bazel, 512x1048576",
                      Map.of("1", "12,849", "16", "991"),
                      "published, on another machine"))),
          new Section(
              "ResponsePlannerBenchmark",
              "Planner",
              "What deciding on an answer costs, by what is asked.",
              "question",
              List.of()),
          new Section(
              "DigestBenchmark",
              "Digests",
              """
              64 MiB through MD5, SHA-1, SHA-256 and SHA-512: side by side as an upload does it, all
              on one thread, and each alone.\
              """,
              "algorithm",
              List.of()),
          new Section(
              "CatalogLookupBenchmark",
              "Catalog",
              """
              Finding the artifact of a warm download, beside a look into a `ConcurrentHashMap` of
              the same artifacts.\
              """,
              "artifacts",
              List.of()));
}
