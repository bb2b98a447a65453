package io.artifactserver.benchmarks.baseline;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.CipherInputStream;
import javax.crypto.CipherOutputStream;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Seeks in a ciphertext by decrypting and discarding all that comes before, as happens to a server
 * that wraps a file into a {@link CipherInputStream}. Counter mode, without any authentication, is
 * the kindest case of it. Thread-safe.
 */
public final class SkippingDecryption {
  private static final String ALGORITHM = "AES/CTR/NoPadding";
  private static final int BUFFER_LENGTH = 64 * 1024;

  private final Path file;
  private final SecretKeySpec key = new SecretKeySpec(new byte[32], "AES");

  /**
   * @param file of the ciphertext
   */
  public SkippingDecryption(Path file) {
    this.file = file;
  }

  /**
   * Writes the file.
   *
   * @param length of the plain bytes
   */
  public void create(long length) throws IOException {
    byte[] buffer = new byte[BUFFER_LENGTH];
    try (OutputStream stream =
        new CipherOutputStream(Files.newOutputStream(file), cipher(Cipher.ENCRYPT_MODE))) {
      for (long written = 0; written < length; written += buffer.length) {
        stream.write(buffer, 0, (int) Math.min(buffer.length, length - written));
      }
    }
  }

  /**
   * Reads a range into {@code target}, from its start. Returns the bytes read.
   *
   * @param position of the range in bytes
   * @param length in bytes
   */
  public int read(long position, int length, byte[] target) throws IOException {
    try (InputStream stream =
        new CipherInputStream(Files.newInputStream(file), cipher(Cipher.DECRYPT_MODE))) {
      stream.skipNBytes(position);
      return stream.readNBytes(target, 0, length);
    }
  }

  private Cipher cipher(int mode) {
    try {
      Cipher cipher = Cipher.getInstance(ALGORITHM);
      cipher.init(mode, key, new IvParameterSpec(new byte[16]));
      return cipher;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
