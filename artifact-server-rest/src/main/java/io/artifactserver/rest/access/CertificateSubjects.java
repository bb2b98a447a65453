package io.artifactserver.rest.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.artifactserver.core.access.CertificateGrant;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import org.jspecify.annotations.Nullable;

/**
 * By which name a client certificate is known: the common name of its subject, or, in one without,
 * the first URI, else the first DNS name, of its alternative names. Each kind of name has a
 * namespace of its own, because authorities check them differently: {@code uri:} and {@code dns:}
 * stand before those, and {@code cn:} before a common name that would look like one of them, or
 * like {@link CertificateGrant#ANY}. Thread-safe.
 */
public final class CertificateSubjects {
  /** RFC 5280, section 4.2.1.6. */
  private static final int URI = 6;

  private static final int DNS_NAME = 2;

  private static final String CN_PREFIX = "cn:";
  private static final String URI_PREFIX = "uri:";
  private static final String DNS_PREFIX = "dns:";

  /** By identity: a connection shows the same object with every request. */
  private final Cache<X509Certificate, String> subjects = Caffeine.newBuilder().weakKeys().build();

  /** The certificate's name; empty if it has none. */
  public String of(X509Certificate certificate) {
    return subjects.get(certificate, CertificateSubjects::read);
  }

  private static String read(X509Certificate certificate) {
    return commonName(certificate)
        .map(CertificateSubjects::ofCommonName)
        .or(() -> alternativeName(certificate, URI).map(name -> URI_PREFIX + name))
        .or(() -> alternativeName(certificate, DNS_NAME).map(name -> DNS_PREFIX + name))
        .orElse("");
  }

  static String ofCommonName(String name) {
    boolean isAmbiguous =
        name.equals(CertificateGrant.ANY)
            || List.of(CN_PREFIX, URI_PREFIX, DNS_PREFIX).stream().anyMatch(name::startsWith);
    return isAmbiguous ? CN_PREFIX + name : name;
  }

  private static Optional<String> commonName(X509Certificate certificate) {
    try {
      LdapName name = new LdapName(certificate.getSubjectX500Principal().getName());
      // The most specific one comes last.
      for (Rdn rdn : name.getRdns().reversed()) {
        if (rdn.getType().equalsIgnoreCase("CN") && rdn.getValue() instanceof String value) {
          return Optional.of(value).filter(text -> !text.isBlank());
        }
      }
      return Optional.empty();
    } catch (InvalidNameException e) {
      return Optional.empty();
    }
  }

  private static Optional<String> alternativeName(X509Certificate certificate, int type) {
    try {
      @Nullable Collection<List<?>> names = certificate.getSubjectAlternativeNames();
      if (names == null) {
        return Optional.empty();
      }
      return names.stream()
          .filter(name -> Integer.valueOf(type).equals(name.getFirst()))
          .map(name -> String.valueOf(name.get(1)))
          .findFirst();
    } catch (CertificateParsingException e) {
      return Optional.empty();
    }
  }
}
