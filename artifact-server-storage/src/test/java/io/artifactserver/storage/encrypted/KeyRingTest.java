package io.artifactserver.storage.encrypted;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.crypto.tink.InsecureSecretKeyAccess;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.RegistryConfiguration;
import com.google.crypto.tink.TinkJsonProtoKeysetFormat;
import com.google.crypto.tink.aead.AeadConfig;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.DataKeyStore;
import io.artifactserver.core.blob.DataKeyStore.WrappedDataKey;
import io.artifactserver.core.blob.ForwardingDataKeyStore;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.InMemoryDataKeyStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.encryption.RingKeys.RingKey;
import io.artifactserver.core.encryption.RingKeys.RingKeyException;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.backend.SetupException;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The ring, its file, its command, and what becomes of blobs while it is rotated. */
class KeyRingTest {
  private static final int SEGMENT_LENGTH = 4096;

  @TempDir private Path folder;
  private final InMemoryBlobStore inner = new InMemoryBlobStore();
  private final InMemoryDataKeyStore dataKeys = new InMemoryDataKeyStore();
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  /** What a program does that uses Tink itself, as {@link #aRingOfStockTinkIsRead} does. */
  @BeforeAll
  static void registerStockTink() throws Exception {
    AeadConfig.register();
  }

  @Test
  void theCommandsMakeListAndRotateTheRing() throws Exception {
    assertThat(keys("list")).isEqualTo(1);
    assertThat(errors()).contains("keys create");
    assertThat(keys("create")).isZero();
    assertThat(output()).contains("Back it up");
    assertThat(keys("create")).isEqualTo(1);
    assertThat(errors()).contains("exists already");
    Path file = folder.resolve("keys.json");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    long first = KeyRingFile.of(file, "").read().primary();
    assertThat(keys("rotate")).isZero();
    Keyset rotated = KeyRingFile.of(file, "").read();
    assertThat(rotated.ids()).hasSize(2).contains(first);
    assertThat(rotated.primary()).isNotEqualTo(first);
    assertThat(rotated.created(first)).startsWith("20");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(keys("list")).isZero();
    String shown = output() + errors() + rotated;
    assertThat(shown).contains(String.valueOf(first), String.valueOf(rotated.primary()));
    // Every stretch of eight characters of the keys themselves is missing from what was shown.
    String secret = Files.readString(file).replaceAll("(?s).*\"value\":\"([^\"]*)\".*", "$1");
    assertThat(secret.length()).isGreaterThan(40);
    for (int i = 0; i + 8 <= secret.length(); i++) {
      assertThat(shown).doesNotContain(secret.substring(i, i + 8));
    }
  }

  @Test
  void theCommandMakesAFolderForItsOwnerAlone() throws Exception {
    folder = folder.resolve("data");
    assertThat(keys("create")).isZero();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
        .isEqualTo("rwx------");
  }

  @Test
  void theCommandSaysWhatItDoesNotUnderstand() {
    assertThat(keys("destroy")).isEqualTo(2);
    assertThat(keys("remove")).isEqualTo(2);
    assertThat(keys("remove", "x")).isEqualTo(2);
    assertThat(keys("list", "--colour=red")).isEqualTo(2);
    assertThat(errors())
        .contains("'destroy'", "'--colour=red'", "parameter: 'ID'", "'x' is not a long");
    assertThat(keys()).isEqualTo(2);
    assertThat(errors()).contains("name one of create");
    assertThat(keys("remove", "1")).isEqualTo(1);
    assertThat(errors()).contains("operator's token");
  }

  @Test
  void aRingOfStockTinkIsRead() throws Exception {
    KeysetHandle handle =
        KeysetHandle.generateNew(PredefinedAeadParameters.AES256_GCM, RegistryConfiguration.get());
    String text =
        TinkJsonProtoKeysetFormat.serializeKeyset(
            handle, RegistryConfiguration.get(), InsecureSecretKeyAccess.get());
    Keyset read = Keyset.parse(text, null);
    assertThat(read.primary()).isEqualTo(Integer.toUnsignedLong(handle.getPrimary().getId()));
    assertThat(read.created(read.primary())).isEmpty();
    KeysetHandle again =
        TinkJsonProtoKeysetFormat.parseKeyset(
            read.rotated(InstantSource.system().instant()).serialize(null),
            RegistryConfiguration.get(),
            InsecureSecretKeyAccess.get());
    assertThat(again.size()).isEqualTo(2);
  }

  @Test
  void aFileThatIsNoRingIsRefusedWithoutQuotingIt() throws Exception {
    for (String text : List.of("", "{}", "{\"key\": \"SECRETSECRET\"}", "SECRETSECRET")) {
      Path file = Files.writeString(folder.resolve("keys.json"), text);
      assertThatExceptionOfType(SetupException.class)
          .isThrownBy(() -> KeyRingFile.of(file, "").read())
          .withMessageContaining(file.toString())
          .withNoCause()
          .satisfies(e -> assertThat(e.getMessage()).doesNotContain("SECRET"));
    }
    assertThatExceptionOfType(SetupException.class)
        .isThrownBy(() -> KeyRingFile.of(folder.resolve("keys.json"), "no-kms://key"))
        .withMessageContaining("kms-uri");
  }

  @Test
  void aKeyIsRemovedOnlyWhenNothingNeedsIt() throws Exception {
    KeyRing ring = newRing();
    StoredRingKeys ringKeys = new StoredRingKeys(ring, dataKeys, InstantSource.system());
    EncryptedBlobStore store = new EncryptedBlobStore(inner, dataKeys, ring, SEGMENT_LENGTH);
    byte[] content = content(1, 10_000);
    BlobRef ref = store(store, content);
    long first = ring.keyset().primary();
    assertThat(ringKeys.list())
        .containsExactly(new RingKey(first, true, ring.keyset().created(first), 1));
    assertThatExceptionOfType(RingKeyException.class)
        .isThrownBy(() -> ringKeys.remove(first))
        .withMessageContaining("primary");
    long second = ringKeys.rotate().id();
    assertThatExceptionOfType(RingKeyException.class)
        .isThrownBy(() -> ringKeys.remove(first))
        .withMessageContaining("still needed by 1 data keys");
    assertThatExceptionOfType(RingKeyException.class)
        .isThrownBy(() -> ringKeys.remove(12345))
        .withMessageContaining("no key 12345");
    byte[] sealed = inner.bytes(ref.key());
    assertThat(ringKeys.rewrap(100)).isEqualTo(1);
    assertThat(ringKeys.rewrap(100)).isZero();
    assertThat(inner.bytes(ref.key())).isEqualTo(sealed);
    ringKeys.remove(first);
    assertThat(ringKeys.list())
        .singleElement()
        .satisfies(key -> {
          assertThat(key.id()).isEqualTo(second);
          assertThat(key.dataKeys()).isEqualTo(1);
        });
    KeyRing restarted = KeyRing.of(KeyRingFile.of(folder.resolve("keys.json"), ""));
    assertThat(read(new EncryptedBlobStore(inner, dataKeys, restarted, SEGMENT_LENGTH), ref))
        .isEqualTo(content);
  }

  @Test
  void aRingThatIsASettingCannotBeRotated() {
    StoredRingKeys ringKeys =
        new StoredRingKeys(KeyRing.ephemeral(), dataKeys, InstantSource.system());
    assertThatExceptionOfType(RingKeyException.class)
        .isThrownBy(ringKeys::rotate)
        .withMessageContaining("setting");
  }

  /**
   * Wrapped again by a key that is no longer primary, and not yet in the database: nobody counts it
   * as that key's, and the key must stay nevertheless.
   */
  @Test
  void aKeyIsNotRemovedWhileAWrappingByItIsOnItsWay() throws Exception {
    KeyRing ring = newRing();
    EncryptedBlobStore store = new EncryptedBlobStore(inner, dataKeys, ring, SEGMENT_LENGTH);
    byte[] content = content(4, 5000);
    BlobRef ref = store(store, content);
    StoredRingKeys operator = new StoredRingKeys(ring, dataKeys, InstantSource.system());
    long second = operator.rotate().id();
    AtomicReference<Thread> removal = new AtomicReference<>();
    DataKeyStore slow =
        new ForwardingDataKeyStore(dataKeys) {
          @Override
          public boolean replace(WrappedDataKey before, WrappedDataKey after) {
            assertThat(after.ringKeyId()).isEqualTo(second);
            removal.set(
                Thread.ofPlatform()
                    .start(() -> {
                      try {
                        operator.rotate();
                        operator.remove(second);
                      } catch (RingKeyException e) {
                        // As it should: the key is needed by then.
                      }
                    }));
            Thread thread = removal.get();
            eventually(
                "the removal waits or has ended",
                () ->
                    thread.getState() == Thread.State.WAITING
                        || thread.getState() == Thread.State.TERMINATED);
            return super.replace(before, after);
          }
        };
    assertThat(new StoredRingKeys(ring, slow, InstantSource.system()).rewrap(10)).isEqualTo(1);
    removal.get().join();
    KeyRing restarted = KeyRing.of(KeyRingFile.of(folder.resolve("keys.json"), ""));
    assertThat(read(new EncryptedBlobStore(inner, dataKeys, restarted, SEGMENT_LENGTH), ref))
        .isEqualTo(content);
  }

  @Test
  void whatACrashLeavesHalfRewrappedIsReadAndFinished() throws Exception {
    KeyRing ring = newRing();
    EncryptedBlobStore store = new EncryptedBlobStore(inner, dataKeys, ring, SEGMENT_LENGTH);
    List<BlobRef> refs = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      refs.add(store(store, content(i, 5000)));
    }
    StoredRingKeys ringKeys = new StoredRingKeys(ring, dataKeys, InstantSource.system());
    ringKeys.rotate();
    assertThat(ringKeys.rewrap(10)).isEqualTo(10);
    // Killed here: another process starts with what is in the file and the database.
    KeyRing restarted = KeyRing.of(KeyRingFile.of(folder.resolve("keys.json"), ""));
    EncryptedBlobStore after = new EncryptedBlobStore(inner, dataKeys, restarted, SEGMENT_LENGTH);
    for (int i = 0; i < refs.size(); i++) {
      assertThat(read(after, refs.get(i))).isEqualTo(content(i, 5000));
    }
    StoredRingKeys resumed = new StoredRingKeys(restarted, dataKeys, InstantSource.system());
    assertThat(resumed.rewrap(10)).isEqualTo(10);
    assertThat(resumed.rewrap(10)).isEqualTo(5);
    assertThat(resumed.rewrap(10)).isZero();
  }

  @Test
  void aKeyThatAnotherProcessAddedIsFound() throws Exception {
    KeyRing ring = newRing();
    KeyRing other = KeyRing.of(KeyRingFile.of(folder.resolve("keys.json"), ""));
    new StoredRingKeys(other, dataKeys, InstantSource.system()).rotate();
    byte[] content = content(3, 5000);
    BlobRef ref = store(new EncryptedBlobStore(inner, dataKeys, other, SEGMENT_LENGTH), content);
    assertThat(read(new EncryptedBlobStore(inner, dataKeys, ring, SEGMENT_LENGTH), ref))
        .isEqualTo(content);
  }

  @Test
  void downloadsDoNotNoticeARotation() throws Exception {
    KeyRing ring = newRing();
    StoredRingKeys ringKeys = new StoredRingKeys(ring, dataKeys, InstantSource.system());
    EncryptedBlobStore store = new EncryptedBlobStore(inner, dataKeys, ring, SEGMENT_LENGTH);
    List<BlobRef> refs = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      refs.add(store(store, content(i, 50_000)));
    }
    AtomicBoolean isOver = new AtomicBoolean();
    try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> downloads = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        int number = i;
        downloads.add(
            executor.submit(() -> {
              int runs = 0;
              while (!isOver.get() || runs == 0) {
                // Without anything remembered, so that each asks for its data key.
                EncryptedBlobStore fresh =
                    new EncryptedBlobStore(inner, dataKeys, ring, SEGMENT_LENGTH);
                assertThat(read(fresh, refs.get(number))).isEqualTo(content(number, 50_000));
                runs++;
              }
              return runs;
            }));
      }
      for (int rotation = 0; rotation < 5; rotation++) {
        long retired = ring.keyset().primary();
        ringKeys.rotate();
        int rewrapped = ringKeys.rewrap(10);
        while (rewrapped > 0) {
          rewrapped = ringKeys.rewrap(10);
        }
        ringKeys.remove(retired);
      }
      isOver.set(true);
      for (Future<Integer> download : downloads) {
        assertThat(download.get()).isPositive();
      }
    }
    assertThat(ring.keyset().ids()).hasSize(1);
  }

  /** A download has read how its data key is wrapped, and only then is the ring rotated. */
  @Test
  void aKeyThatIsRemovedBetweenLookAndUseIsLookedUpAgain() throws Exception {
    KeyRing ring = newRing();
    StoredRingKeys operator = new StoredRingKeys(ring, dataKeys, InstantSource.system());
    byte[] content = content(5, 5000);
    BlobRef ref = store(new EncryptedBlobStore(inner, dataKeys, ring, SEGMENT_LENGTH), content);
    AtomicInteger looks = new AtomicInteger();
    DataKeyStore slow =
        new ForwardingDataKeyStore(dataKeys) {
          @Override
          public Optional<WrappedDataKey> find(String blobKey) {
            Optional<WrappedDataKey> found = super.find(blobKey);
            if (looks.getAndIncrement() == 0) {
              retire(ring, operator);
            }
            return found;
          }
        };
    assertThat(read(new EncryptedBlobStore(inner, slow, ring, SEGMENT_LENGTH), ref))
        .isEqualTo(content);
    assertThat(looks).hasValue(2);
  }

  /** Two servers rewrap at the same time, and one of them has removed the old key already. */
  @Test
  void aKeyThatAnotherServerRewrappedAndRemovedIsPassedOver() throws Exception {
    KeyRing ring = newRing();
    StoredRingKeys other = new StoredRingKeys(ring, dataKeys, InstantSource.system());
    byte[] content = content(6, 5000);
    BlobRef ref = store(new EncryptedBlobStore(inner, dataKeys, ring, SEGMENT_LENGTH), content);
    other.rotate();
    DataKeyStore slow =
        new ForwardingDataKeyStore(dataKeys) {
          @Override
          public List<WrappedDataKey> notWrappedBy(long ringKeyId, String after, int limit) {
            List<WrappedDataKey> page = super.notWrappedBy(ringKeyId, after, limit);
            retire(ring, other);
            return page;
          }
        };
    assertThat(new StoredRingKeys(ring, slow, InstantSource.system()).rewrap(10)).isZero();
    assertThat(read(new EncryptedBlobStore(inner, dataKeys, ring, SEGMENT_LENGTH), ref))
        .isEqualTo(content);
  }

  @Test
  void aLostDataKeyStopsTheRewrappingByName() throws Exception {
    KeyRing ring = newRing();
    WrappedDataKey noise = new WrappedDataKey("0".repeat(32), new byte[50], 1);
    dataKeys.put(noise);
    assertThatExceptionOfType(StorageException.BlobCorrupt.class)
        .isThrownBy(() -> new StoredRingKeys(ring, dataKeys, InstantSource.system()).rewrap(10))
        .withMessageContaining(noise.blobKey());
  }

  /** Rotates, wraps everything again, and removes every key but the primary one. */
  private static void retire(KeyRing ring, StoredRingKeys operator) {
    try {
      operator.rotate();
      assertThat(operator.rewrap(10)).isEqualTo(1);
      for (long id : List.copyOf(ring.keyset().ids())) {
        if (id != ring.keyset().primary()) {
          operator.remove(id);
        }
      }
    } catch (RingKeyException | StorageException e) {
      throw new AssertionError(e);
    }
  }

  private KeyRing newRing() {
    assertThat(keys("create")).isZero();
    return KeyRing.of(KeyRingFile.of(folder.resolve("keys.json"), ""));
  }

  private int keys(String... words) {
    List<String> arguments = new ArrayList<>(List.of(words));
    arguments.add("--artifact-server.data-dir=" + folder);
    return new CommandLine(new KeysCommand())
        .setOut(new PrintWriter(output, true, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(errors, true, StandardCharsets.UTF_8))
        .execute(arguments.toArray(String[]::new));
  }

  private String output() {
    return output.toString(StandardCharsets.UTF_8);
  }

  private String errors() {
    return errors.toString(StandardCharsets.UTF_8);
  }

  private static BlobRef store(EncryptedBlobStore store, byte[] content) throws StorageException {
    try (BlobUpload upload = store.begin()) {
      upload.write(ByteBuffer.wrap(content));
      return upload.commit();
    }
  }

  private static byte[] read(EncryptedBlobStore store, BlobRef ref) throws StorageException {
    Blob blob = store.blob(ref);
    ByteBuffer target = ByteBuffer.allocate((int) ref.length());
    try (RangeReader reader = blob.open(ByteRange.whole(ref.length()))) {
      while (target.hasRemaining() && reader.read(target) >= 0) {
        // Reads on.
      }
    }
    return target.array();
  }

  private static byte[] content(long seed, int length) {
    byte[] content = new byte[length];
    new SplittableRandom(seed).nextBytes(content);
    return content;
  }
}
