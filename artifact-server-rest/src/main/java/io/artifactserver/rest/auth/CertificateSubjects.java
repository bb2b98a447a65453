package io.artifactserver.rest.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
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
 * the first URI, else the first DNS name, of its alternative names. Thread-safe.
 */
public final class CertificateSubjects {
  /** RFC 5280, section 4.2.1.6. */
  private static final int URI = 6;

  private static final int DNS_NAME = 2;

  /** By identity: a connection shows the same object with every request. */
  private final Cache<X509Certificate, String> subjects = Caffeine.newBuilder().weakKeys().build();

  /** The certificate's name; empty if it has none. */
  public String of(X509Certificate certificate) {
    return subjects.get(certificate, CertificateSubjects::read);
  }

  private static String read(X509Certificate certificate) {
    return commonName(certificate)
        .or(() -> alternativeName(certificate, URI))
        .or(() -> alternativeName(certificate, DNS_NAME))
        .orElse("");
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
