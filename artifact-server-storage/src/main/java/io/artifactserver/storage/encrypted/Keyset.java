package io.artifactserver.storage.encrypted;

import com.google.crypto.tink.Aead;
import com.google.crypto.tink.InsecureSecretKeyAccess;
import com.google.crypto.tink.KeyStatus;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.RegistryConfiguration;
import com.google.crypto.tink.TinkJsonProtoKeysetFormat;
import com.google.crypto.tink.aead.AeadConfig;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a ring: a Tink keyset of AES-256-GCM keys, of which one is primary, and when each was
 * created. Immutable. Says nothing of its keys in {@link #toString()}.
 */
final class Keyset {
  /** A member of the JSON text that Tink ignores: the creation of each key, by its id. */
  private static final Pattern CREATED = Pattern.compile("\"created\"\\s*:\\s*\\{([^{}]*)},?");

  private static final Pattern ENTRY = Pattern.compile("\"(\\d+)\"\\s*:\\s*\"([0-9TZ:.-]+)\"");

  /** As Tink's own tool does, so that its encrypted keysets can be read. */
  private static final byte[] NO_ASSOCIATED_DATA = {};

  static {
    try {
      AeadConfig.register();
    } catch (GeneralSecurityException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final KeysetHandle handle;
  private final Aead aead;
  private final Map<Long, String> created;

  private Keyset(KeysetHandle handle, Map<Long, String> created) throws GeneralSecurityException {
    this.handle = handle;
    this.aead = handle.getPrimitive(RegistryConfiguration.get(), Aead.class);
    this.created = Map.copyOf(created);
  }

  /** A ring with one new key. */
  static Keyset generate(Instant now) throws GeneralSecurityException {
    return withNewKey(KeysetHandle.newBuilder(), Map.of(), now);
  }

  /**
   * Reads a ring.
   *
   * @param kms that the text is encrypted by; none if it is plain
   */
  static Keyset parse(String text, @Nullable Aead kms) throws GeneralSecurityException {
    KeysetHandle handle =
        kms == null
            ? TinkJsonProtoKeysetFormat.parseKeyset(
                text, RegistryConfiguration.get(), InsecureSecretKeyAccess.get())
            : TinkJsonProtoKeysetFormat.parseEncryptedKeyset(
                text, kms, NO_ASSOCIATED_DATA, RegistryConfiguration.get());
    Map<Long, String> created = new TreeMap<>();
    Matcher member = CREATED.matcher(text);
    if (member.find()) {
      Matcher entry = ENTRY.matcher(member.group(1));
      while (entry.find()) {
        created.put(Long.valueOf(entry.group(1)), entry.group(2));
      }
    }
    return new Keyset(handle, created);
  }

  /** The text that {@link #parse} reads: secret, unless {@code kms} encrypts it. */
  String serialize(@Nullable Aead kms) throws GeneralSecurityException {
    String text =
        kms == null
            ? TinkJsonProtoKeysetFormat.serializeKeyset(
                handle, RegistryConfiguration.get(), InsecureSecretKeyAccess.get())
            : TinkJsonProtoKeysetFormat.serializeEncryptedKeyset(
                handle, kms, NO_ASSOCIATED_DATA, RegistryConfiguration.get());
    String member =
        new TreeMap<>(created)
            .entrySet().stream()
                .map(entry -> "\"%d\":\"%s\"".formatted(entry.getKey(), entry.getValue()))
                .collect(Collectors.joining(",", "{\"created\":{", "},"));
    return member + text.substring(text.indexOf('{') + 1) + '\n';
  }

  /** This ring with one more key, which is primary. */
  Keyset rotated(Instant now) throws GeneralSecurityException {
    return withNewKey(KeysetHandle.newBuilder(handle), created, now);
  }

  /** This ring without a key. */
  Keyset without(long id) throws GeneralSecurityException {
    KeysetHandle.Builder builder = KeysetHandle.newBuilder(handle);
    for (int i = 0; i < handle.size(); i++) {
      if (idAt(i) == id) {
        builder.deleteAt(i);
      }
    }
    Map<Long, String> remaining = new TreeMap<>(created);
    remaining.remove(id);
    return new Keyset(builder.build(), remaining);
  }

  /** The id of the key that wraps. */
  long primary() {
    return Integer.toUnsignedLong(handle.getPrimary().getId());
  }

  /** The ids of the keys that unwrap, in the order in which they were added. */
  List<Long> ids() {
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < handle.size(); i++) {
      if (handle.getAt(i).getStatus() == KeyStatus.ENABLED) {
        ids.add(idAt(i));
      }
    }
    return ids;
  }

  /** When a key was created; empty if the ring does not say. */
  String created(long id) {
    return created.getOrDefault(id, "");
  }

  Aead aead() {
    return aead;
  }

  @Override
  public String toString() {
    return "Keyset" + ids();
  }

  private long idAt(int index) {
    return Integer.toUnsignedLong(handle.getAt(index).getId());
  }

  private static Keyset withNewKey(
      KeysetHandle.Builder builder, Map<Long, String> created, Instant now)
      throws GeneralSecurityException {
    KeysetHandle handle =
        builder
            .addEntry(
                KeysetHandle.generateEntryFromParameters(PredefinedAeadParameters.AES256_GCM)
                    .withRandomId()
                    .makePrimary())
            .build();
    Map<Long, String> all = new TreeMap<>(created);
    all.put(
        Integer.toUnsignedLong(handle.getPrimary().getId()),
        now.truncatedTo(ChronoUnit.SECONDS).toString());
    return new Keyset(handle, all);
  }
}
