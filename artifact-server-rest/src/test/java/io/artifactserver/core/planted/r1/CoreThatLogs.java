package io.artifactserver.core.planted.r1;

/** The core knows no logger. */
final class CoreThatLogs {
  private static final org.slf4j.Logger LOG = org.slf4j.LoggerFactory.getLogger(CoreThatLogs.class);

  private CoreThatLogs() {}

  static void log() {
    LOG.info("planted");
  }
}
