package io.artifactserver.rest.auth;

import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.access.TokenSecret;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first operator's token: a file in the data folder, readable by its owner only. The database
 * keeps its digest. A lost file is replaced at the next start, and the lost token revoked.
 */
public final class OperatorTokenFile {
  private static final Logger LOG = LoggerFactory.getLogger(OperatorTokenFile.class);
  private static final String FILE_NAME = "operator-token";
  private static final String TOKEN_NAME = "operator-token file";

  private final Path file;
  private final AccessTokenStore tokens;
  private final InstantSource clock;

  public OperatorTokenFile(Path dataFolder, AccessTokenStore tokens, InstantSource clock) {
    this.file = dataFolder.resolve(FILE_NAME).toAbsolutePath().normalize();
    this.tokens = tokens;
    this.clock = clock;
  }

  /**
   * Makes sure that the file holds a token that the database knows, and logs where it is.
   *
   * @throws IOException if the file cannot be read or written
   */
  public void ensure() throws IOException {
    Optional<TokenSecret> present = read();
    if (present.isPresent()) {
      adopt(present.get());
    } else {
      TokenSecret secret = TokenSecret.generate();
      write(secret);
      revokeOthers();
      adopt(secret);
    }
    LOG.info("The operator's token is in {}", file);
  }

  private void adopt(TokenSecret secret) {
    Optional<AccessToken> known = tokens.find(secret.id());
    if (known.isEmpty()) {
      tokens.add(
          secret.toAccessToken(TOKEN_NAME, AccessToken.Role.OPERATOR, Set.of(), clock.instant()));
    } else if (!secret.unlocks(known.get()) || known.get().role() != AccessToken.Role.OPERATOR) {
      throw new IllegalStateException(
          "%s is not the token that the database knows by this id; delete the file to get a new one"
              .formatted(file));
    }
  }

  private void revokeOthers() {
    tokens.list().stream()
        .filter(token -> token.name().equals(TOKEN_NAME))
        .forEach(token -> tokens.remove(token.id()));
  }

  private Optional<TokenSecret> read() throws IOException {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    String text = Files.readString(file).strip();
    return Optional.of(
        TokenSecret.parse(text)
            .orElseThrow(() ->
                new IllegalStateException(
                    "%s does not hold a token; delete the file to get a new one".formatted(file))));
  }

  private void write(TokenSecret secret) throws IOException {
    Path part = file.resolveSibling(FILE_NAME + ".part");
    Files.deleteIfExists(part);
    Files.createFile(
        part, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
      ByteBuffer text =
          ByteBuffer.wrap((secret.reveal() + "\n").getBytes(StandardCharsets.US_ASCII));
      while (text.hasRemaining()) {
        channel.write(text);
      }
      // An empty file after a power cut would stop the next start.
      channel.force(true);
    }
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
