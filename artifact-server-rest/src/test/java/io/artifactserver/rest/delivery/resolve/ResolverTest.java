package io.artifactserver.rest.delivery.resolve;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.AccessTokenStore.Position;
import io.artifactserver.core.access.InMemoryAccessTokenStore;
import io.artifactserver.core.access.LinkTerms;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.access.Scope;
import io.artifactserver.core.access.TokenSecret;
import io.artifactserver.core.access.TokenWords;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import io.artifactserver.core.catalog.UsedPath;
import io.artifactserver.core.derive.ChunkIndex;
import io.artifactserver.core.derive.DerivationRules;
import io.artifactserver.core.derive.Derived;
import io.artifactserver.core.derive.InMemoryDerivedRegister;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.release.Channel;
import io.artifactserver.core.release.ChannelBook;
import io.artifactserver.core.release.InMemoryChannelStore;
import io.artifactserver.core.release.Rollout;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.access.TokenUses;
import io.artifactserver.rest.access.WrongSecrets;
import io.artifactserver.rest.access.link.LinkProperties;
import io.artifactserver.rest.access.link.Links;
import io.artifactserver.rest.delivery.address.Target;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The answers to a sender about artifacts that it may not read. Each byte of an artifact is a
 * chunk.
 */
class ResolverTest {
  private static final String REPOSITORY = "boards";

  @TempDir private Path folder;

  private final InMemoryBlobStore store = new InMemoryBlobStore();
  private final InMemoryArtifactCatalog memory = new InMemoryArtifactCatalog();
  private Instant now = Instant.now();
  private final List<ArtifactId> asked = new ArrayList<>();
  private final List<String> askedRepositories = new ArrayList<>();
  private final ArtifactCatalog catalog = asking(memory);
  private final InMemoryDerivedRegister register = new InMemoryDerivedRegister(memory, REPOSITORY);
  private final DerivationRules rules =
      new DerivationRules(List.of(new BytewiseForm()), 1, 1000, register);
  private final InMemoryAccessTokenStore tokens = new InMemoryAccessTokenStore();
  private Links links;
  private ChannelBook channels;
  private Resolver resolver;

  @BeforeEach
  void setUp() throws Exception {
    links =
        new Links(
            folder,
            new LinkProperties(Duration.ofDays(1), Duration.ZERO, Set.of()),
            InstantSource.system());
    channels = InMemoryChannelStore.book(memory, () -> now);
    resolver =
        new Resolver(
            catalog,
            channels,
            new Authenticator(
                tokens,
                links,
                new TokenUses(tokens, InstantSource.system()),
                new WrongSecrets(System::nanoTime),
                Optional.empty(),
                InstantSource.system()),
            new DerivedAnswers(rules, catalog, register, BlobStores.of(store)),
            Optional.empty(),
            () -> now);
    memory.createRepository(REPOSITORY, false, false);
    upload("fw-old.img", "abc", true);
    upload("secret.img", "cde", true);
    upload("fw-new.img", "ade", true);
    upload("other.img", "ef", true);
  }

  /** The newest that has "d" is not the device's in the second case. */
  @Test
  void aChunkIsReadByWhoMayReadAnyArtifactThatHasIt() throws Exception {
    Credentials device = device("fw-new.img", "default.castr");
    for (char each : "ade".toCharArray()) {
      assertThat(resolve(chunk("default", each), device)).isInstanceOf(Resolution.Found.class);
    }
    Credentials other = device("other.img", "default.castr");
    for (char each : "ef".toCharArray()) {
      assertThat(resolve(chunk("default", each), other)).isInstanceOf(Resolution.Found.class);
    }
    Credentials old = device("fw-old.img");
    for (char each : "abc".toCharArray()) {
      assertThat(resolve(chunk("default", each), old)).isInstanceOf(Resolution.Found.class);
    }
    assertNotFound(chunk("default", 'f'), device);
    assertNotFound(chunk("default", 'e'), old);
    assertNotFound(chunk("default", 'z'), device);
  }

  /** Somebody else may upload more than a folder's store has. */
  @Test
  void anArtifactsOwnStoreHasItsChunksHoweverManyComeAfterIt() throws Exception {
    for (int i = 0; i < 1_000; i++) {
      upload("later-" + i + ".img", "z", true);
    }
    Credentials old = device("fw-old.img", "default.castr");
    for (char each : "abc".toCharArray()) {
      for (String store : List.of("fw-old", "fw-old.img")) {
        assertThat(resolve(chunk(store, each), old)).isInstanceOf(Resolution.Found.class);
      }
      assertNotFound(chunk("default", each), old);
      assertNotFound(chunk("secret", each), old);
    }
    assertNotFound(chunk("fw-old", 'z'), old);
  }

  @Test
  void aChannelIsFollowedInMemory() throws Exception {
    upload("1.1/fw.img", "abc", false);
    upload("1.2/fw.img", "ade", true);
    Channel stable = new Channel(REPOSITORY, "stable");
    Target target = new Target.OfChannel(stable, "fw.img", Target.Claim.NONE);
    Credentials device = device("1.1", "1.2");
    assertThat(resolver.resolve(target, device, null)).isInstanceOf(Resolution.NotFound.class);
    for (String release : List.of("1.1", "1.2")) {
      channels.point(stable, release, Rollout.ALL, "", _ -> {});
      Resolution found = resolver.resolve(target, device, null);
      assertThat(found)
          .isInstanceOfSatisfying(
              Resolution.Found.class,
              it ->
                  assertThat(it.served().digests())
                      .isEqualTo(
                          memory
                              .find(new ArtifactId(REPOSITORY, release + "/fw.img"))
                              .orElseThrow()
                              .digests()));
      // The very same object: repeated requests are known by it.
      assertThat(resolver.resolve(target, device, null))
          .isInstanceOfSatisfying(
              Resolution.Found.class,
              it -> assertThat(it.served()).isSameAs(((Resolution.Found) found).served()));
    }
    assertThat(
            resolver.resolve(
                new Target.OfChannel(stable, "fw.img.caibx", Target.Claim.NONE), device, null))
        .isEqualTo(new Resolution.Elsewhere("/artifacts/boards/1.2/fw.img.caibx"));
    assertThat(resolver.resolve(target, device("1.1"), null))
        .isInstanceOf(Resolution.NotFound.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"secret.img", "secret", "absent.img"})
  void aStoreIsNotKnownByTheNameOfWhatTheSenderMayNotRead(String name) throws Exception {
    assertNotFound(chunk(name, 'a'), device("fw-new.img", name + ".castr"));
    assertThat(resolve(chunk("fw-new", 'a'), device("fw-new.img")))
        .isInstanceOf(Resolution.Found.class);
  }

  @Test
  void whatIsStillToComeIsToldToWhoMayReadItOnly() throws Exception {
    Credentials device = device("fw-new.img", "later.img.caibx", "default.castr");
    assertNotFound(chunk("default", 'z'), device);
    upload("later.img", "xyz", false);
    assertNotFound(chunk("default", 'z'), device);
    assertNotFound("later.img.caibx", device);
    Credentials reader = device("later.img");
    assertThat(resolve(chunk("default", 'z'), reader)).isInstanceOf(Resolution.NotReady.class);
    assertThat(resolve("later.img.caibx", reader)).isInstanceOf(Resolution.NotReady.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"secret.img", "secret.img.sha256", "secret.img.caibx", "absent.img"})
  void whatTheSenderMayNotReadIsNotLookedUp(String path) throws Exception {
    Credentials device = device("fw-new.img", "secret.img.sha256", "secret.img.caibx");
    assertNotFound(path, device);
    assertThat(asked).doesNotContain(new ArtifactId(REPOSITORY, "secret.img"));
    assertThat(resolver.peek(target(path), device)).isEmpty();
  }

  @Test
  void whatWasDeletedIsGoneForAYearForWhoMayReadItOnly() throws Exception {
    ArtifactId secret = new ArtifactId(REPOSITORY, "secret.img");
    Digest sha256 = memory.find(secret).orElseThrow().digests().sha256();
    Credentials reader = device("secret.img");
    Credentials link = link("secret.img");
    memory.remove(secret);
    assertThat(resolve("secret.img", reader))
        .isInstanceOfSatisfying(
            Resolution.Gone.class, gone -> assertThat(gone.used().sha256()).isEqualTo(sha256));
    assertThat(resolve("secret.img", link)).isInstanceOf(Resolution.Gone.class);
    assertThat(resolver.peek(target("secret.img"), reader)).isEmpty();
    assertNotFound("secret.img.sha256", device("secret.img"));
    asked.clear();
    assertNotFound("secret.img", device("fw-new.img"));
    assertThat(resolve("secret.img", Credentials.of("")))
        .isInstanceOf(Resolution.Unauthorized.class);
    assertThat(asked).doesNotContain(secret);

    now = now.plus(UsedPath.GONE).plusSeconds(1);
    assertNotFound("secret.img", reader);
  }

  @Test
  void aLinkOpensItsArtifactAndThatArtifactsChunks() throws Exception {
    Credentials link = link("fw-new.img");
    assertThat(resolve("fw-new.img", link)).isInstanceOf(Resolution.Found.class);
    for (char each : "ade".toCharArray()) {
      assertThat(resolve(chunk("fw-new.img", each), link)).isInstanceOf(Resolution.Found.class);
    }
    assertNotFound("secret.img", link);
    assertNotFound(chunk("fw-new.img", 'c'), link);
  }

  /** Its maker may have everything that begins with "fw-", and such a store may not be there. */
  @Test
  void aLinkOfAChunksAddressOpensNothing() throws Exception {
    for (String path :
        new String[] {
          chunk("fw-new", 'c'), chunk("fw-new", 'a'), "secret.img.sha256", "secret.img.caibx"
        }) {
      assertNotFound(path, link(path));
    }
  }

  /** A device sends the same token with every range. */
  @Test
  void aTokenThatWasGoodSparesTheLookupOfTheRepository() throws Exception {
    Credentials device = device("fw-new.img");
    assertThat(resolve("fw-new.img", device)).isInstanceOf(Resolution.Found.class);
    askedRepositories.clear();
    assertThat(resolve("fw-new.img", device)).isInstanceOf(Resolution.Found.class);
    assertThat(askedRepositories).isEmpty();
    assertNotFound("secret.img", device);
    assertThat(askedRepositories).contains(REPOSITORY);
  }

  @Test
  void aTokenThatWasGoodReadsWhatIsPublicWhateverBecomesOfIt() throws Exception {
    memory.createRepository("public", true, false);
    ArtifactId open = new ArtifactId("public", "fw.img");
    Artifact other = memory.find(new ArtifactId(REPOSITORY, "other.img")).orElseThrow();
    memory.add(open, "text/plain", other.blob(), other.digests());
    Credentials device = device("fw-new.img");
    assertThat(resolve("fw-new.img", device)).isInstanceOf(Resolution.Found.class);
    assertThat(resolver.resolve(new Target.OfArtifact(open), device, null))
        .isInstanceOf(Resolution.Found.class);
    for (AccessToken token : tokens.list(Position.START, 10)) {
      tokens.revoke(token.id());
    }
    assertThat(resolve("fw-new.img", device)).isInstanceOf(Resolution.Unauthorized.class);
    assertThat(resolver.resolve(new Target.OfArtifact(open), device, null))
        .isInstanceOf(Resolution.Found.class);
  }

  private void assertNotFound(String path, Credentials credentials) {
    assertThat(resolve(path, credentials)).as(path).isInstanceOf(Resolution.NotFound.class);
  }

  private Resolution resolve(String path, Credentials credentials) {
    return resolver.resolve(target(path), credentials, null);
  }

  private static Target target(String path) {
    return new Target.OfArtifact(new ArtifactId(REPOSITORY, path));
  }

  private static String chunk(String storeName, char each) {
    String hex = "%02x".formatted((int) each).repeat(32);
    return "%s.castr/%s/%s.cacnk".formatted(storeName, hex.substring(0, 4), hex);
  }

  private Credentials device(String... paths) {
    TokenSecret secret = TokenSecret.generate();
    tokens.add(
        secret
            .toAccessToken("device", Role.DEVICE, Set.of(), Instant.EPOCH)
            .with(
                TokenWords.of("device"),
                new Scope(Set.of(REPOSITORY), Set.of(paths)),
                AccessToken.NEVER));
    return Credentials.of("Bearer " + secret.reveal());
  }

  private Credentials link(String path) throws Exception {
    long expires = Instant.now().getEpochSecond() + 60;
    ArtifactId id = new ArtifactId(REPOSITORY, path);
    String url = links.url(new LinkTerms(id, LinkTerms.Method.GET, expires, 0, 0, ""));
    return Credentials.ofLink(links.verify(id, url.substring(url.indexOf('?') + 1), "GET"));
  }

  private void upload(String path, String text, boolean hasIndex) throws Exception {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    Digest sha256 =
        Digest.of(
            DigestAlgorithm.SHA_256, DigestAlgorithm.SHA_256.newMessageDigest().digest(bytes));
    BlobRef blob = store(ByteBuffer.wrap(bytes));
    ArtifactId id = new ArtifactId(REPOSITORY, path);
    memory.add(id, "text/plain", blob, new Digests(Map.of(DigestAlgorithm.SHA_256, sha256)));
    if (hasIndex) {
      ByteBuffer ids = ByteBuffer.allocate(bytes.length * ChunkIndex.ID_LENGTH);
      for (byte each : bytes) {
        for (int i = 0; i < ChunkIndex.ID_LENGTH; i++) {
          ids.put(each);
        }
      }
      Artifact artifact = memory.find(id).orElseThrow();
      register.add(
          artifact.blob(),
          new Derived.Stored(BytewiseForm.NAME, store(ids.flip()), sha256, Instant.EPOCH));
    }
  }

  private BlobRef store(ByteBuffer bytes) throws Exception {
    try (BlobUpload upload = store.begin()) {
      upload.write(bytes);
      return upload.commit();
    }
  }

  /** Notes what it is asked to find. */
  private ArtifactCatalog asking(ArtifactCatalog real) {
    return (ArtifactCatalog)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {ArtifactCatalog.class},
            (_, method, arguments) -> {
              if (method.getName().equals("find")) {
                asked.add((ArtifactId) arguments[0]);
              }
              if (method.getName().equals("findRepository")) {
                askedRepositories.add((String) arguments[0]);
              }
              return method.invoke(real, arguments);
            });
  }
}
