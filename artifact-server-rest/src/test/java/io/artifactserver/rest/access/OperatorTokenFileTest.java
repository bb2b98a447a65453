package io.artifactserver.rest.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.InMemoryAccessTokenStore;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.access.TokenSecret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class OperatorTokenFileTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir private Path folder;
  private final InMemoryAccessTokenStore tokens = new InMemoryAccessTokenStore();

  @Test
  void anInstallationWithoutAnOperatorGetsOne() throws IOException {
    start();
    AccessToken token = tokens.find(inFile().id()).orElseThrow();
    assertThat(token.role()).isEqualTo(Role.ADMIN);
    assertThat(inFile().unlocks(token)).isTrue();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");
    start();
    assertThat(tokens.admins()).containsExactly(token);
  }

  @Test
  void aTokenThatLiesThereIsAdoptedWhereNobodyIsAnOperator() throws IOException {
    TokenSecret secret = TokenSecret.generate();
    Files.writeString(file(), secret.reveal());
    tokens.add(TokenSecret.generate().toAccessToken("device", Role.DEVICE, Set.of(), NOW));
    start();
    assertThat(secret.unlocks(tokens.find(secret.id()).orElseThrow())).isTrue();
  }

  @Test
  void aRevokedTokenStaysRevoked(CapturedOutput output) throws IOException {
    start();
    String id = inFile().id();
    assertThat(tokens.revoke(id)).isTrue();
    start();
    assertThat(tokens.find(id)).isEmpty();
    assertThat(tokens.admins()).isEmpty();
    assertThat(output).contains("is revoked. Delete the file and start again");
  }

  /** The database is another one than that of the file's time: nobody says who has its token. */
  @Test
  void anUnknownTokenIsNotAdoptedBesideOtherOperators(CapturedOutput output) throws IOException {
    TokenSecret secret = TokenSecret.generate();
    Files.writeString(file(), secret.reveal());
    AccessToken other =
        TokenSecret.generate().toAccessToken("another operator", Role.ADMIN, Set.of(), NOW);
    tokens.add(other);
    start();
    assertThat(tokens.admins()).containsExactly(other);
    assertThat(output).contains("but not the one in").contains("restored from a backup");
  }

  @Test
  void aLostFileIsReplacedAndItsTokenRevoked() throws IOException {
    start();
    String lost = inFile().id();
    Files.delete(file());
    start();
    assertThat(inFile().id()).isNotEqualTo(lost);
    assertThat(tokens.isRevoked(lost)).isTrue();
    assertThat(tokens.admins()).extracting(AccessToken::id).containsExactly(inFile().id());
  }

  @Test
  void whatIsNoTokenStopsTheStart() throws IOException {
    Files.writeString(file(), "half a tok");
    assertThatIllegalStateException()
        .isThrownBy(this::start)
        .withMessageContaining(file().toString())
        .withMessageContaining("delete the file");
  }

  private void start() throws IOException {
    new OperatorTokenFile(folder, tokens, () -> NOW).ensure();
  }

  private Path file() {
    return folder.resolve("operator-token");
  }

  private TokenSecret inFile() throws IOException {
    return TokenSecret.parse(Files.readString(file()).strip()).orElseThrow();
  }
}
