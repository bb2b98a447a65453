package io.artifactserver.rest.access;

import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.access.TokenSecret;
import io.artifactserver.core.file.DurableFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
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
    DurableFiles.write(file, StandardCharsets.US_ASCII.encode(secret.reveal() + "\n"));
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
    } else if (!tokens.admins().isEmpty()) {
      LOG.warn(
          "The database knows other operators' tokens, but not the one in {}. Was it restored from a"
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
    tokens.admins().stream()
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
}
