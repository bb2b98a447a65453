package io.artifactserver.storage.catalog.artifact;

import static io.artifactserver.storage.catalog.TestContent.digests;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactCatalog.Addition;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.storage.catalog.CatalogApplication;
import io.artifactserver.storage.postgres.TestDatabase;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A catalog without a cache on a database of its own, and a repository for each test. */
abstract class JdbcCatalogFixture {
  static CatalogApplication application;
  static ArtifactCatalog catalog;
  static BlobRegister register;

  final String repository = "r" + UUID.randomUUID();
  final String text = "content of " + repository;

  @BeforeAll
  static void start() {
    // Without entries every call reaches the database.
    application =
        new CatalogApplication(TestDatabase.create(), "artifact-server.catalog.cache-size=0");
    catalog = application.bean(ArtifactCatalog.class);
    register = application.bean(BlobRegister.class);
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  boolean retired(BlobRef blob) {
    return register.retiredBefore(now().plusSeconds(1), 10_000).contains(blob);
  }

  void create(boolean encrypted) {
    assertThat(catalog.createRepository(repository, true, encrypted)).isPresent();
  }

  ArtifactId id(String path) {
    return new ArtifactId(repository, path);
  }

  Artifact added(String path, BlobRef blob) {
    Addition addition = catalog.add(id(path), "application/octet-stream", blob, digests(text));
    assertThat(addition).isInstanceOf(Addition.Added.class);
    return ((Addition.Added) addition).artifact();
  }

  Artifact shared(String path) {
    Optional<Addition> addition =
        catalog.share(id(path), "application/octet-stream", digests(text));
    assertThat(addition).containsInstanceOf(Addition.Added.class);
    return ((Addition.Added) addition.orElseThrow()).artifact();
  }

  static List<BlobRef> retired() {
    return register.retiredBefore(now().plusSeconds(1), 10_000);
  }

  static Instant now() {
    return application.clock().instant().truncatedTo(ChronoUnit.MICROS);
  }

  static <T> List<T> together(List<Callable<T>> actions) throws Exception {
    CyclicBarrier barrier = new CyclicBarrier(actions.size());
    try (ExecutorService threads = Executors.newFixedThreadPool(actions.size())) {
      List<Future<T>> futures = new ArrayList<>();
      for (Callable<T> action : actions) {
        futures.add(
            threads.submit(() -> {
              barrier.await();
              return action.call();
            }));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : futures) {
        results.add(future.get());
      }
      return results;
    }
  }
}
