package io.artifactserver.rest.endtoend;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** A certificate authority in a folder, made with the JDK's keytool. Used by one thread. */
public final class TestAuthority {
  public static final String PASSWORD = "password";
  private static final String CA = "ca";

  private final Path folder;
  private final Path store;

  public TestAuthority(Path folder, String name) throws IOException, InterruptedException {
    this.folder = folder;
    this.store = folder.resolve(name + ".p12");
    keytool("-alias", CA, "-dname", "CN=" + name, "-ext", "bc:critical=ca:true");
  }

  /**
   * A certificate and its key.
   *
   * @param subject such as {@code CN=device}
   * @param extensions of keytool, such as {@code san=dns:device}
   */
  public void issue(String alias, String subject, String... extensions)
      throws IOException, InterruptedException {
    List<String> options = new ArrayList<>();
    options.addAll(List.of("-alias", alias, "-dname", subject, "-signer", CA));
    for (String extension : extensions) {
      options.addAll(List.of("-ext", extension));
    }
    keytool(options.toArray(String[]::new));
  }

  /** The authority's own certificate as a PEM file. */
  Path authorityFile() throws IOException, GeneralSecurityException {
    return write(
        folder.resolve("ca.pem"), pem("CERTIFICATE", keys().getCertificate(CA).getEncoded()));
  }

  /** Writes the certificate with its chain, in place of what is there, at once. */
  public Path certificateFile(String alias, Path file)
      throws IOException, GeneralSecurityException {
    StringBuilder chain = new StringBuilder();
    for (Certificate certificate : keys().getCertificateChain(alias)) {
      chain.append(pem("CERTIFICATE", certificate.getEncoded()));
    }
    return write(file, chain.toString());
  }

  public Path keyFile(String alias, Path file) throws IOException, GeneralSecurityException {
    Key key = keys().getKey(alias, PASSWORD.toCharArray());
    return write(file, pem("PRIVATE KEY", key.getEncoded()));
  }

  public Path certificateFile(String alias) throws IOException, GeneralSecurityException {
    return certificateFile(alias, folder.resolve(alias + ".pem"));
  }

  public Path keyFile(String alias) throws IOException, GeneralSecurityException {
    return keyFile(alias, folder.resolve(alias + ".key"));
  }

  /** Of a client that trusts this authority, and shows the certificate if there is an alias. */
  public SSLContext client(@Nullable String alias) throws IOException, GeneralSecurityException {
    return client(alias, this);
  }

  /** The same, of a client that trusts another authority. */
  SSLContext client(@Nullable String alias, TestAuthority other)
      throws IOException, GeneralSecurityException {
    KeyStore trusted = empty();
    trusted.setCertificateEntry(CA, other.keys().getCertificate(CA));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    KeyManager[] shown = new KeyManager[0];
    if (alias != null) {
      KeyStore own = empty();
      char[] password = PASSWORD.toCharArray();
      own.setKeyEntry(
          alias, keys().getKey(alias, password), password, keys().getCertificateChain(alias));
      KeyManagerFactory manager =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      manager.init(own, password);
      shown = manager.getKeyManagers();
    }
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(shown, trust.getTrustManagers(), null);
    return context;
  }

  private KeyStore keys() throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return keys;
  }

  private static KeyStore empty() throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(null, null);
    return keys;
  }

  private void keytool(String... options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    // It runs for half a second: C2 would only slow it down.
    command.add("-J-XX:TieredStopAtLevel=1");
    command.addAll(List.of("-genkeypair", "-keyalg", "EC", "-groupname", "secp256r1"));
    command.addAll(List.of("-validity", "30", "-storetype", "PKCS12", "-storepass", PASSWORD));
    command.addAll(List.of("-keystore", store.toString()));
    command.addAll(List.of(options));
    Path output = Files.createTempFile(folder, "keytool-", ".log");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (process.waitFor() != 0) {
      throw new IllegalStateException(Files.readString(output));
    }
  }

  private static Path write(Path file, String text) throws IOException {
    Path part = file.resolveSibling(file.getFileName() + ".part");
    Files.writeString(part, text);
    return Files.move(
        part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private static String pem(String type, byte[] encoded) {
    String lines =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(encoded);
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(type, lines, type);
  }
}
