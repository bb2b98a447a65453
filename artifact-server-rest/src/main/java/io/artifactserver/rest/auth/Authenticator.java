package io.artifactserver.rest.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.access.CertificateGrant;
import io.artifactserver.core.access.TokenSecret;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Recognises callers by their Authorization field: {@code Bearer TOKEN} (RFC 6750), or {@code
 * Basic} (RFC 7617) with the token as the password and any user name, for clients that know nothing
 * else. {@code GatewayToken} and {@code TargetToken} are what devices of hawkBit send. Who sends no
 * such field, and showed a client certificate, is recognised by its subject. Both planes use this
 * class. Thread-safe.
 */
public final class Authenticator {
  /**
   * What to send in WWW-Authenticate with a 401 of the control plane. Not Basic: a browser would
   * ask its user for a password, keep it, and send it along with whatever any page makes it ask.
   */
  public static final String BEARER_CHALLENGE = "Bearer realm=\"artifact-server\"";

  /** As {@link #BEARER_CHALLENGE}, of the data plane: some devices know nothing but Basic. */
  public static final String CHALLENGE =
      BEARER_CHALLENGE + ", Basic realm=\"artifact-server\", charset=\"UTF-8\"";

  private static final Authentication ANONYMOUS = new Authentication.Anonymous();
  private static final Authentication REFUSED = new Authentication.Refused();
  private static final Authentication UNDECIDED = new Authentication.Undecided();

  /** How long a subject without a grant is remembered: a grant takes effect within this time. */
  private static final Duration ABSENCE = Duration.ofSeconds(10);

  private static final int MAX_ABSENT = 10_000;
  private static final CertificateGrant ANY = new CertificateGrant(CertificateGrant.ANY);

  private final AccessTokenStore tokens;
  private final Cache<CertificateGrant, Boolean> absent =
      Caffeine.newBuilder().maximumSize(MAX_ABSENT).expireAfterWrite(ABSENCE).build();

  public Authenticator(AccessTokenStore tokens) {
    this.tokens = tokens;
  }

  /**
   * Decides from memory. No I/O. Credentials that were found good are not computed again while the
   * token is what it was: a device sends the same with every range.
   */
  public Authentication peek(Credentials credentials) {
    if (credentials.authorization().isEmpty()) {
      return credentials.certificateSubject().isEmpty()
          ? ANONYMOUS
          : peek(new CertificateGrant(credentials.certificateSubject()));
    }
    Authentication.@Nullable Known caller = credentials.caller();
    if (caller != null
        && tokens.peek(caller.token().id()).filter(caller.token()::equals).isPresent()) {
      return caller;
    }
    Optional<TokenSecret> secret = secret(credentials.authorization());
    if (secret.isEmpty()) {
      return REFUSED;
    }
    Authentication decided =
        tokens.peek(secret.get().id()).map(token -> check(secret.get(), token)).orElse(UNDECIDED);
    if (decided instanceof Authentication.Known known) {
      credentials.noteCaller(known);
    }
    return decided;
  }

  /** Decides, asking the database if need be; never {@link Authentication.Undecided}. */
  public Authentication authenticate(Credentials credentials) {
    if (credentials.authorization().isEmpty()) {
      return credentials.certificateSubject().isEmpty()
          ? ANONYMOUS
          : authenticate(new CertificateGrant(credentials.certificateSubject()));
    }
    return secret(credentials.authorization())
        .flatMap(secret -> tokens.find(secret.id()).map(token -> check(secret, token)))
        .orElse(REFUSED);
  }

  private Authentication peek(CertificateGrant grant) {
    Optional<AccessToken> own = tokens.peek(grant.id()).filter(grant::unlocks);
    if (own.isPresent()) {
      return new Authentication.Known(own.get());
    }
    if (absent.getIfPresent(grant) == null) {
      return UNDECIDED;
    }
    return grant.equals(ANY) ? ANONYMOUS : peek(ANY);
  }

  private Authentication authenticate(CertificateGrant grant) {
    Optional<AccessToken> own = tokens.find(grant.id()).filter(grant::unlocks);
    if (own.isPresent()) {
      return new Authentication.Known(own.get());
    }
    absent.put(grant, Boolean.TRUE);
    return grant.equals(ANY) ? ANONYMOUS : authenticate(ANY);
  }

  private static Authentication check(TokenSecret secret, AccessToken token) {
    return secret.unlocks(token) ? new Authentication.Known(token) : REFUSED;
  }

  private static Optional<TokenSecret> secret(String authorization) {
    int space = authorization.indexOf(' ');
    if (space < 0) {
      return Optional.empty();
    }
    String scheme = authorization.substring(0, space);
    String credentials = authorization.substring(space + 1).strip();
    if (scheme.equalsIgnoreCase("Bearer")) {
      return TokenSecret.parse(credentials);
    }
    if (scheme.equalsIgnoreCase("GatewayToken") || scheme.equalsIgnoreCase("TargetToken")) {
      return TokenSecret.parse(credentials).or(() -> TokenSecret.foreign(credentials));
    }
    return scheme.equalsIgnoreCase("Basic")
        ? password(credentials).flatMap(TokenSecret::parse)
        : Optional.empty();
  }

  private static Optional<String> password(String base64) {
    try {
      String pair = new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
      return Optional.of(pair.substring(pair.indexOf(':') + 1));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
