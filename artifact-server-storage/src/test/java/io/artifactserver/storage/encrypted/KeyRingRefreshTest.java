package io.artifactserver.storage.encrypted;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.crypto.tink.Aead;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.KmsClient;
import com.google.crypto.tink.KmsClients;
import com.google.crypto.tink.RegistryConfiguration;
import com.google.crypto.tink.aead.AeadConfig;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A change made while a refresh reads is newer than the keys that it read. */
class KeyRingRefreshTest {
  private static final String URI = "slow-kms://key";

  @TempDir private Path folder;

  @Test
  void aRefreshDoesNotReplaceANewerRing() throws Exception {
    SlowKms kms = SlowKms.register();
    KeyRingFile file = KeyRingFile.of(folder.resolve("keys.json"), URI);
    file.create(Keyset.generate(Instant.now()));
    KeyRing ring = KeyRing.of(file);
    long first = ring.keyset().primary();

    kms.holdNext();
    Thread refresh = Thread.ofPlatform().start(ring::refresh);
    kms.held.await();
    ring.change(before -> before.rotated(Instant.now()));
    long second = ring.keyset().primary();
    assertThat(second).isNotEqualTo(first);
    kms.goOn.countDown();
    refresh.join();

    assertThat(ring.keyset().primary()).isEqualTo(second);
    assertThat(ring.keyset().ids()).containsExactly(first, second);
  }

  /** Decrypts a key ring late: its text was read before. */
  private static final class SlowKms implements Aead, KmsClient {
    private final Aead aead;
    private final AtomicBoolean holds = new AtomicBoolean();
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    private SlowKms(Aead aead) {
      this.aead = aead;
    }

    static SlowKms register() throws GeneralSecurityException {
      AeadConfig.register();
      SlowKms kms =
          new SlowKms(
              KeysetHandle.newBuilder()
                  .addEntry(
                      KeysetHandle.generateEntryFromParameters(PredefinedAeadParameters.AES256_GCM)
                          .withRandomId()
                          .makePrimary())
                  .build()
                  .getPrimitive(RegistryConfiguration.get(), Aead.class));
      KmsClients.add(kms);
      return kms;
    }

    /** The next decryption waits until it is told to go on. */
    void holdNext() {
      holds.set(true);
    }

    @Override
    public byte[] encrypt(byte[] plaintext, byte[] associatedData) throws GeneralSecurityException {
      return aead.encrypt(plaintext, associatedData);
    }

    @Override
    public byte[] decrypt(byte[] ciphertext, byte[] associatedData)
        throws GeneralSecurityException {
      if (holds.getAndSet(false)) {
        held.countDown();
        try {
          goOn.await();
        } catch (InterruptedException e) {
          throw new GeneralSecurityException(e);
        }
      }
      return aead.decrypt(ciphertext, associatedData);
    }

    @Override
    public boolean doesSupport(String uri) {
      return uri.equals(URI);
    }

    @Override
    public KmsClient withCredentials(String path) {
      return this;
    }

    @Override
    public KmsClient withDefaultCredentials() {
      return this;
    }

    @Override
    public Aead getAead(String uri) {
      return this;
    }
  }
}
