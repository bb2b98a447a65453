package io.artifactserver.rest.access.oidc;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;
import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.access.Scope;
import io.artifactserver.core.catalog.Reach;
import io.artifactserver.rest.access.IssuedTokens;
import io.artifactserver.rest.access.IssuerUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtAudienceValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.JwtIssuerValidator;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.jwt.JwtTypeValidator;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;

/**
 * JSON Web Tokens (RFC 7519) of an OpenID Connect provider: access tokens and ID tokens that it has
 * signed for this server. Their owners' rights depend on their groups. A good token is remembered
 * for five minutes, so that not every request pays for its signature. Thread-safe.
 */
final class OidcTokens implements IssuedTokens {
  private static final Logger LOG = LoggerFactory.getLogger(OidcTokens.class);

  private static final Pattern FORM =
      Pattern.compile("[A-Za-z0-9_-]++\\.[A-Za-z0-9_-]++\\.[A-Za-z0-9_-]*+");

  /** The length that OpenID Connect allows for a subject, in ASCII characters. */
  private static final Pattern SUBJECT = Pattern.compile("\\p{Graph}[ -~]{0,254}");

  private static final int MAX_NAME_LENGTH = 128;

  /** How long a token outlives a key that its provider withdraws. */
  private static final Duration REMEMBERED = Duration.ofMinutes(5);

  /** In characters, of all remembered tokens together. */
  private static final long MAX_REMEMBERED = 4L << 20;

  private final OidcProperties properties;
  private final JwtDecoder decoder;
  private final InstantSource clock;
  private final Cache<String, Verified> verified =
      Caffeine.newBuilder()
          .executor(Runnable::run)
          .expireAfterWrite(REMEMBERED)
          .maximumWeight(MAX_REMEMBERED)
          .weigher((String token, Verified _) -> token.length())
          .build();

  OidcTokens(OidcProperties properties, JWKSource<SecurityContext> keys, InstantSource clock) {
    this.properties = properties;
    this.clock = clock;
    NimbusJwtDecoder nimbus =
        NimbusJwtDecoder.withJwkSource(keys)
            // All of them are of public keys: nothing that verifies a token can sign one.
            .jwsAlgorithms(allowed -> allowed.addAll(EnumSet.allOf(SignatureAlgorithm.class)))
            .build();
    JwtTimestampValidator times = new JwtTimestampValidator(properties.clockSkew());
    times.setClock(clock.withZone(ZoneOffset.UTC));
    times.setAllowEmptyExpiryClaim(false);
    JwtTypeValidator types = new JwtTypeValidator("JWT", "at+jwt", "application/at+jwt");
    types.setAllowEmpty(true);
    nimbus.setJwtValidator(
        new DelegatingOAuth2TokenValidator<>(
            times,
            types,
            new JwtIssuerValidator(properties.issuer()),
            new JwtAudienceValidator(properties.audience()),
            OidcTokens::validateSubject));
    this.decoder = nimbus;
  }

  @Override
  public boolean hasForm(String token) {
    return FORM.matcher(token).matches();
  }

  @Override
  public Optional<Caller> find(String token, Reach reach) {
    if (reach == Reach.DATABASE) {
      return verify(token);
    }
    Verified known = verified.getIfPresent(token);
    return known != null && clock.instant().isBefore(known.end)
        ? Optional.of(known.caller)
        : Optional.empty();
  }

  Optional<Caller> verify(String token) {
    Jwt jwt;
    try {
      jwt = decoder.decode(token);
    } catch (BadJwtException e) {
      LOG.debug("A token of {} is refused: {}", properties.issuer(), e.getMessage());
      return Optional.empty();
    } catch (JwtException e) {
      throw new IssuerUnavailableException(String.valueOf(e.getMessage()), e);
    }
    Caller caller = caller(jwt);
    Instant expiry = Objects.requireNonNull(jwt.getExpiresAt());
    verified.put(token, new Verified(caller, expiry.plus(properties.clockSkew())));
    return Optional.of(caller);
  }

  private static OAuth2TokenValidatorResult validateSubject(Jwt jwt) {
    String subject = jwt.getSubject();
    return subject != null && SUBJECT.matcher(subject).matches()
        ? OAuth2TokenValidatorResult.success()
        : OAuth2TokenValidatorResult.failure(
            new OAuth2Error("invalid_token", "The sub claim is none", null));
  }

  private Caller caller(Jwt jwt) {
    String subject = Objects.requireNonNull(jwt.getSubject());
    String name = claim(jwt, properties.nameClaim()) instanceof String text ? text : "";
    boolean isName =
        !name.isBlank()
            && name.length() <= MAX_NAME_LENGTH
            && name.chars().noneMatch(Character::isISOControl);
    Set<String> groups = groups(claim(jwt, properties.groupsClaim()));
    Optional<OidcProperties.Grant> grant =
        properties.grants().stream().filter(each -> groups.contains(each.group())).findFirst();
    return new Caller(
        "oidc:" + subject,
        isName ? name : subject,
        grant.map(OidcProperties.Grant::role).orElse(Role.DEVICE),
        grant.map(OidcProperties.Grant::scope).orElse(Scope.NOTHING));
  }

  private static Set<String> groups(@Nullable Object claim) {
    return switch (claim) {
      case String group -> Set.of(group);
      case Collection<?> groups ->
          groups.stream().map(String::valueOf).collect(Collectors.toUnmodifiableSet());
      case null, default -> Set.of();
    };
  }

  /** The claim of that name, or else what the dots in the name lead to. */
  private static @Nullable Object claim(Jwt jwt, String name) {
    Object whole = jwt.getClaims().get(name);
    if (whole != null) {
      return whole;
    }
    Object inner = jwt.getClaims();
    for (String part : name.split("\\.", -1)) {
      inner = inner instanceof Map<?, ?> claims ? claims.get(part) : null;
    }
    return inner;
  }

  /**
   * @param end from which on the token is not good
   */
  private record Verified(Caller caller, Instant end) {}
}
