package io.artifactserver.rest.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.CertificateGrant;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.access.Scope;
import io.artifactserver.core.access.SignedLink;
import io.artifactserver.core.access.TokenSecret;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.catalog.Reach;
import io.artifactserver.rest.access.link.Links;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recognises callers by their Authorization field: {@code Bearer TOKEN} (RFC 6750), or {@code
 * Basic} (RFC 7617) with the token as the password and any user name, for clients that know nothing
 * else. A bearer may also have a token of an identity provider. {@code GatewayToken} and {@code
 * TargetToken} are what devices of hawkBit send. A caller that sends no such field, and showed a
 * client certificate, is recognised by its subject. A signed link takes the place of all of these.
 * Both planes use this class. Thread-safe.
 */
public final class Authenticator {
  private static final Logger LOG = LoggerFactory.getLogger(Authenticator.class);

  /**
   * The WWW-Authenticate field of a 401 of the control plane. Not Basic: a browser would ask its
   * user for a password, keep it, and send it along with whatever any page makes it ask.
   */
  public static final String BEARER_CHALLENGE = "Bearer realm=\"artifact-server\"";

  /** As {@link #BEARER_CHALLENGE}, of the data plane: some devices know nothing but Basic. */
  public static final String CHALLENGE =
      BEARER_CHALLENGE + ", Basic realm=\"artifact-server\", charset=\"UTF-8\"";

  private static final Authentication ANONYMOUS = new Authentication.Anonymous();
  private static final Authentication REFUSED = new Authentication.Refused();
  private static final Authentication THROTTLED = new Authentication.Throttled();
  private static final Authentication UNDECIDED = new Authentication.Undecided();

  private static final String BEARER = "Bearer ";

  /** How long a subject without a grant is remembered: a grant takes effect within this time. */
  private static final Duration ABSENCE = Duration.ofSeconds(10);

  private static final int MAX_ABSENT = 10_000;
  private static final CertificateGrant ANY = new CertificateGrant(CertificateGrant.ANY);

  private final AccessTokenStore tokens;
  private final Links links;
  private final TokenUses uses;
  private final WrongSecrets wrongSecrets;
  private final Optional<IssuedTokens> issued;
  private final InstantSource clock;
  private final Cache<CertificateGrant, Boolean> absent =
      Caffeine.newBuilder().maximumSize(MAX_ABSENT).expireAfterWrite(ABSENCE).build();

  /**
   * @param issued tokens of an identity provider, if there is one
   */
  public Authenticator(
      AccessTokenStore tokens,
      Links links,
      TokenUses uses,
      WrongSecrets wrongSecrets,
      Optional<IssuedTokens> issued,
      InstantSource clock) {
    this.tokens = tokens;
    this.links = links;
    this.uses = uses;
    this.wrongSecrets = wrongSecrets;
    this.issued = issued;
    this.clock = clock;
  }

  /**
   * Decides from memory. No I/O. Credentials that were found good are not computed again while the
   * token is what it was: a device sends the same with every range.
   */
  public Authentication peek(Credentials credentials) {
    return decide(credentials, Reach.MEMORY);
  }

  private Authentication decide(Credentials credentials, Reach reach) {
    if (credentials.authorization().isEmpty()) {
      return withoutToken(credentials, reach);
    }
    Credentials.@Nullable Found found = credentials.found();
    if (found != null
        && tokens.find(found.token().id(), reach).filter(found.token()::equals).isPresent()) {
      return ofGood(found.token(), found.caller());
    }
    Optional<TokenSecret> secret = secret(credentials.authorization());
    Optional<Authentication> decided =
        secret.isPresent()
            ? tokens
                .find(secret.get().id(), reach)
                .map(token -> check(secret.get(), token, credentials))
            : ofIssued(credentials.authorization(), reach);
    return decided.orElse(reach == Reach.MEMORY ? UNDECIDED : REFUSED);
  }

  private Authentication withoutToken(Credentials credentials, Reach reach) {
    SignedLink link = credentials.link();
    if (link != null) {
      return links.isStillGood(link) ? new Authentication.Known(holder(link)) : REFUSED;
    }
    return credentials.certificateSubject().isEmpty()
        ? ANONYMOUS
        : ofGrant(new CertificateGrant(credentials.certificateSubject()), reach);
  }

  /** May read what the link is for, and nothing beside it that its signer may not read. */
  private static Caller holder(SignedLink link) {
    String device = link.terms().device();
    return new Caller(
        "link-" + link.keyId(),
        device.isEmpty() ? "signed link" : device,
        Role.DEVICE,
        Scope.of(link.terms().artifact()));
  }

  /**
   * Returns the account that a lookup of these credentials counts for, for callers that {@link
   * #peek} leaves undecided or that ask for what is not in memory. No I/O. Wrong secrets of an id
   * that exists count as those of one that does not, so the time of an answer tells nothing of ids.
   *
   * @param address that answers for a wrong secret; null if nobody does
   */
  public Sender sender(Credentials credentials, @Nullable Object address) {
    String authorization = credentials.authorization();
    if (authorization.isEmpty()) {
      return senderWithoutToken(credentials, address);
    }
    Optional<TokenSecret> secret = secret(authorization);
    if (secret.isPresent()) {
      return tokens.knows(secret.get().tokenDigest())
              || tokens
                  .find(secret.get().id(), Reach.MEMORY)
                  .filter(secret.get()::unlocks)
                  .isPresent()
          ? Sender.known(secret.get().id())
          : new Sender(address, false, address != null && wrongSecrets.isAddressExhausted(address));
    }
    if (peek(credentials) instanceof Authentication.Known(Caller caller)) {
      return Sender.known(caller.id());
    }
    // The database is not asked about tokens of a provider, so wrong secrets do not hold them up.
    return address != null && issuedToken(authorization).isPresent()
        ? Sender.stranger(new IssuedTokensOf(address))
        : Sender.stranger(address);
  }

  private Sender senderWithoutToken(Credentials credentials, @Nullable Object address) {
    if (credentials.link() != null) {
      // Not an account for each link: whoever may sign has as many as he likes.
      return new Sender(address == null ? null : new LinksOf(address), true, false);
    }
    String subject = credentials.certificateSubject();
    if (!subject.isEmpty()) {
      CertificateGrant own = new CertificateGrant(subject);
      if (tokens.knows(own.tokenDigest()) || tokens.knows(ANY.tokenDigest())) {
        return Sender.known(own.id());
      }
    }
    return Sender.stranger(address);
  }

  /**
   * Decides, asking the database or the identity provider if need be; never {@link
   * Authentication.Undecided}.
   *
   * @param address that answers for a wrong secret; null if nobody does
   * @throws IssuerUnavailableException if the provider does not tell how to verify its tokens
   */
  public Authentication authenticate(Credentials credentials, @Nullable Object address) {
    Authentication decided = decide(credentials, Reach.DATABASE);
    String authorization = credentials.authorization();
    if (!authorization.isEmpty() && !(decided instanceof Authentication.Known)) {
      secret(authorization).map(TokenSecret::tokenDigest).ifPresent(tokens::forget);
      if (address != null) {
        wrongSecrets.wrongOfAddress(address);
      }
    }
    return decided;
  }

  /**
   * As {@link #authenticate}, and {@link Authentication.Undecided} if neither the database nor the
   * identity provider can be asked.
   */
  public Authentication tryToAuthenticate(Credentials credentials, @Nullable Object address) {
    try {
      return authenticate(credentials, address);
    } catch (CatalogUnavailableException | IssuerUnavailableException e) {
      LOG.debug("Nobody can say whose token this is", e);
      return UNDECIDED;
    }
  }

  /**
   * Whether the token, the grant or the link's key that let a caller in was taken away since; asks
   * the database if need be. A token of an identity provider never is.
   */
  public boolean isTakenAway(Credentials credentials) {
    SignedLink link = credentials.link();
    if (link != null) {
      return links.keys().key(link.keyId()).isEmpty();
    }
    if (!credentials.certificateSubject().isEmpty()) {
      return tokens.find(new CertificateGrant(credentials.certificateSubject()).id()).isEmpty()
          && tokens.find(ANY.id()).isEmpty();
    }
    return secret(credentials.authorization())
        .filter(each -> tokens.find(each.id()).isEmpty())
        .isPresent();
  }

  private Authentication ofGrant(CertificateGrant grant, Reach reach) {
    Optional<AccessToken> own = tokens.find(grant.id(), reach).filter(grant::unlocks);
    if (own.isPresent()) {
      return ofGood(own.get(), new Authentication.Known(own.get().caller()));
    }
    if (reach == Reach.DATABASE) {
      absent.put(grant, Boolean.TRUE);
    } else if (absent.getIfPresent(grant) == null) {
      return UNDECIDED;
    }
    return grant.equals(ANY) ? ANONYMOUS : ofGrant(ANY, reach);
  }

  private Authentication check(TokenSecret secret, AccessToken token, Credentials credentials) {
    if (!secret.unlocks(token)) {
      return wrongSecrets.wrongOfToken(token.id()) ? THROTTLED : REFUSED;
    }
    Authentication.Known known = new Authentication.Known(token.caller());
    credentials.note(new Credentials.Found(token, known));
    return ofGood(token, known);
  }

  private Authentication ofGood(AccessToken token, Authentication.Known known) {
    // Most tokens have no expiry, and need no look at the clock.
    if (!token.expiresAt().equals(AccessToken.NEVER) && token.isExpired(clock.instant())) {
      return REFUSED;
    }
    uses.note(token.id());
    return known;
  }

  private Optional<Authentication> ofIssued(String authorization, Reach reach) {
    Optional<String> token = issuedToken(authorization);
    if (token.isEmpty()) {
      return Optional.of(REFUSED);
    }
    return issued
        .flatMap(provider -> provider.find(token.get(), reach))
        .map(Authentication.Known::new);
  }

  /** Empty where there is no identity provider. */
  private Optional<String> issuedToken(String authorization) {
    if (issued.isEmpty() || !authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return Optional.empty();
    }
    return Optional.of(authorization.substring(BEARER.length()).strip())
        .filter(issued.get()::hasForm);
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

  /** The account of an address for signed links. */
  private record LinksOf(Object address) {}

  /** The account of an address for tokens of the provider that are not verified yet. */
  private record IssuedTokensOf(Object address) {}
}
