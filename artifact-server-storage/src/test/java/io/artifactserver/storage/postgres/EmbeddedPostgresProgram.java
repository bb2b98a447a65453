package io.artifactserver.storage.postgres;

import java.io.IOException;
import java.nio.file.Path;

/** Starts the embedded PostgreSQL in a JVM of its own, and ends with its input. */
final class EmbeddedPostgresProgram {
  static final String READY = "READY ";

  private EmbeddedPostgresProgram() {}

  /**
   * @param arguments the data folder
   */
  public static void main(String[] arguments) throws IOException {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.start(Path.of(arguments[0]), 20)) {
      System.out.println(READY + postgres.jdbcUrl());
      while (System.in.read() >= 0) {
        Thread.onSpinWait();
      }
    }
  }
}
