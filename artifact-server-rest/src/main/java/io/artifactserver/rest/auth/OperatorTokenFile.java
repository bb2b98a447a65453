package io.artifactserver.rest.auth;

import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.access.Role;
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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first operator's token: a file in the data folder, readable by its owner only. The database
 * keeps its digest. A lost file is replaced at the next start, and the lost token revoked. A file
 * gives nobody back what was taken away: its token is adopted only where no operator is known yet.
 */
public final class OperatorTokenFile {
  private static final Logger LOG = LoggerFactory.getLogger(OperatorTokenFile.class);
  private static final String FILE_NAME = "operator-token";
  private static final String TOKEN_NAME = "operator-token file";
  private static final String PLACE = "The operator's token is in {}";

  private final Path file;
  private final AccessTokenStore tokens;
  private final InstantSource clock;

  public OperatorTokenFile(Path dataFolder, AccessTokenStore tokens, InstantSource clock) {
    this.file = dataFolder.resolve(FILE_NAME).toAbsolutePath().normalize();
    this.tokens = tokens;
    this.clock = clock;
  }

  /**
   * Makes sure that there is a file, and logs where it is, or why its token is not good.
   *
   * @throws IOException if the file cannot be read or written
   */
  public void ensure() throws IOException {
    Optional<TokenSecret> present = read();
    if (present.isPresent()) {
      adopt(present.get());
      return;
    }
    revokeOthers();
    TokenSecret secret = TokenSecret.generate();
    // A crash in between leaves no file, and the next start makes another token.
    add(secret);
    write(secret);
    LOG.info(PLACE, file);
  }

  private void adopt(TokenSecret secret) {
    Optional<AccessToken> known = tokens.find(secret.id());
    if (known.isPresent()) {
      if (!secret.unlocks(known.get()) || known.get().role() != Role.ADMIN) {
        throw new IllegalStateException(
            "%s is not the token that the database knows by this id; delete the file to get a new"
                    .formatted(file)
                + " one");
      }
      LOG.info(PLACE, file);
    } else if (tokens.isRevoked(secret.id())) {
      LOG.warn(
          "The token in {} is revoked. Delete the file and start again to get a new one.", file);
    } else if (tokens.list().stream().anyMatch(token -> token.role() == Role.ADMIN)) {
      LOG.warn(
          "The database does not know the token in {}, but other operators: was it restored from a"
              + " backup? Delete the file and start again to get a new token.",
          file);
    } else {
      add(secret);
      LOG.info(PLACE, file);
    }
  }

  private void add(TokenSecret secret) {
    tokens.add(secret.toAccessToken(TOKEN_NAME, Role.ADMIN, Set.of(), clock.instant()));
  }

  private void revokeOthers() {
    tokens.list().stream()
        .filter(token -> token.name().equals(TOKEN_NAME))
        .forEach(token -> tokens.revoke(token.id()));
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
    // The move itself must survive a power cut: the database is about to know the token.
    try (FileChannel folder =
        FileChannel.open(Objects.requireNonNull(file.getParent()), StandardOpenOption.READ)) {
      folder.force(true);
    }
  }
}
