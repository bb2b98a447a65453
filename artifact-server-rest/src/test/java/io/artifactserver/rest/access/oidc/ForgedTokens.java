package io.artifactserver.rest.access.oidc;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import java.nio.charset.StandardCharsets;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Tokens as a provider with this key would sign them, and every kind that is not good. */
public final class ForgedTokens {
  private final String issuer;
  private final String audience;
  private final RSAKey key;

  /**
   * @param key the provider's, with its private part
   */
  public ForgedTokens(String issuer, String audience, RSAKey key) {
    this.issuer = issuer;
    this.audience = audience;
    this.key = key;
  }

  /** A new key of a provider. */
  public static RSAKey newKey(String id) {
    try {
      return new RSAKeyGenerator(2048).keyID(id).generate();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The claims of a token that is good for five minutes. */
  public JWTClaimsSet.Builder claims(String... groups) {
    Instant now = Instant.now();
    return new JWTClaimsSet.Builder()
        .issuer(issuer)
        .subject("subject-1")
        .audience(audience)
        .issueTime(Date.from(now))
        .notBeforeTime(Date.from(now))
        .expirationTime(Date.from(now.plusSeconds(300)))
        .claim("preferred_username", "ada")
        .claim("groups", List.of(groups));
  }

  /** A token that is good. */
  public String good(String... groups) {
    return sign(claims(groups).build());
  }

  /** Signs as the provider does. */
  public String sign(JWTClaimsSet claims) {
    return sign(new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).build(), claims);
  }

  /** Signs with the provider's key, and a header that it would not write. */
  public String sign(JWSHeader header, JWTClaimsSet claims) {
    return sign(header, claims, key);
  }

  /** Every kind of token that is not good, by what is wrong with it. */
  public Map<String, String> bad(String... groups) throws JOSEException {
    Instant now = Instant.now();
    JWTClaimsSet good = claims(groups).build();
    RSAKey stranger = newKey(key.getKeyID());
    Map<String, String> tokens = new LinkedHashMap<>();
    tokens.put(
        "expired", sign(claims(groups).expirationTime(Date.from(now.minusSeconds(400))).build()));
    tokens.put("no expiry", sign(claims(groups).expirationTime(null).build()));
    tokens.put(
        "not yet", sign(claims(groups).notBeforeTime(Date.from(now.plusSeconds(400))).build()));
    tokens.put("other audience", sign(claims(groups).audience("another").build()));
    tokens.put("no audience", sign(claims(groups).audience((String) null).build()));
    tokens.put("other issuer", sign(claims(groups).issuer(issuer + "x").build()));
    tokens.put("no issuer", sign(claims(groups).issuer(null).build()));
    tokens.put("no subject", sign(claims(groups).subject(null).build()));
    tokens.put("subject of a forger", sign(claims(groups).subject("a\nb").build()));
    tokens.put("alg none", new PlainJWT(good).serialize());
    tokens.put("alg none with a signature", none(good) + "c2lnbmF0dXJl");
    tokens.put("HS256 with the public key", hmac(good, publicKey(key).getEncoded()));
    tokens.put(
        "HS256 with the public key as PEM",
        hmac(good, pem(publicKey(key)).getBytes(StandardCharsets.US_ASCII)));
    tokens.put(
        "unknown key",
        sign(new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("unknown").build(), good));
    tokens.put(
        "another key of that id",
        sign(
            new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).build(),
            good,
            stranger));
    tokens.put(
        "a key that the token brings along",
        sign(
            new JWSHeader.Builder(JWSAlgorithm.RS256).jwk(stranger.toPublicJWK()).build(),
            good,
            stranger));
    tokens.put(
        "a critical header that nobody knows",
        sign(
            new JWSHeader.Builder(JWSAlgorithm.RS256)
                .keyID(key.getKeyID())
                .criticalParams(Set.of("x"))
                .customParam("x", 1)
                .build(),
            good));
    tokens.put(
        "a logout token",
        sign(
            new JWSHeader.Builder(JWSAlgorithm.RS256)
                .keyID(key.getKeyID())
                .type(new JOSEObjectType("logout+jwt"))
                .build(),
            good));
    String[] parts = sign(good).split("\\.", -1);
    String other = sign(claims("other").build()).split("\\.", -1)[1];
    tokens.put("other claims", parts[0] + "." + other + "." + parts[2]);
    tokens.put("no signature", parts[0] + "." + parts[1] + ".");
    tokens.put("half a signature", parts[0] + "." + parts[1] + "." + parts[2].substring(9));
    tokens.put("no JSON", "eyJ.eyJ.eyJ");
    return tokens;
  }

  private static String sign(JWSHeader header, JWTClaimsSet claims, RSAKey signing) {
    try {
      SignedJWT token = new SignedJWT(header, claims);
      token.sign(new RSASSASigner(signing));
      return token.serialize();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String hmac(JWTClaimsSet claims, byte[] secret) throws JOSEException {
    SignedJWT token = new SignedJWT(new JWSHeader(JWSAlgorithm.HS256), claims);
    token.sign(new MACSigner(secret));
    return token.serialize();
  }

  private static String none(JWTClaimsSet claims) {
    return new PlainJWT(claims).serialize();
  }

  private static RSAPublicKey publicKey(RSAKey key) throws JOSEException {
    return key.toRSAPublicKey();
  }

  private static String pem(RSAPublicKey key) {
    return "-----BEGIN PUBLIC KEY-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key.getEncoded())
        + "\n-----END PUBLIC KEY-----\n";
  }
}
