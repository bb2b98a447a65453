package io.artifactserver.rest.delivery.resolve;

import io.artifactserver.core.access.LinkRefusedException;
import io.artifactserver.core.access.SignedLink;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.rest.access.CertificateSubjects;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.access.link.Links;
import io.artifactserver.rest.delivery.address.DerivedName;
import io.artifactserver.rest.delivery.address.Target;
import io.artifactserver.rest.problem.Problems;
import java.security.cert.X509Certificate;
import java.util.Objects;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.springframework.http.ProblemDetail;

/**
 * Reads what a request shows of its sender: a signed link, a token, or the certificate that TLS has
 * verified. Thread-safe; nothing blocks.
 */
public final class RequestCredentials {
  private final CertificateSubjects subjects = new CertificateSubjects();
  private final Links links;

  public RequestCredentials(Links links) {
    this.links = links;
  }

  /**
   * Returns what it shows; nobody has asked yet whether it is good for the target, unless it is a
   * link.
   *
   * @throws LinkRefusedException if it shows a link that is not good for the target now
   */
  public Credentials of(Request request, Target target) throws LinkRefusedException {
    String query = request.getHttpURI().getQuery();
    if (query != null && SignedLink.isIn(query)) {
      return Credentials.ofLink(verified(linked(target), query, request.getMethod()));
    }
    String authorization =
        Objects.requireNonNullElse(request.getHeaders().get(HttpHeader.AUTHORIZATION), "");
    return authorization.isEmpty()
        ? Credentials.ofCertificate(subject(request))
        : Credentials.of(authorization);
  }

  /** The link of an artifact is good for the chunks in the store that is named after it, too. */
  private SignedLink verified(ArtifactId id, String query, String method)
      throws LinkRefusedException {
    try {
      return links.verify(id, query, method);
    } catch (LinkRefusedException e) {
      return links.verify(DerivedName.ownerOfStore(id).orElseThrow(() -> e), query, method);
    }
  }

  /**
   * The artifact that a signed link may be for; a link for anything else was made for another
   * address.
   */
  private static ArtifactId linked(Target target) throws LinkRefusedException {
    return switch (target) {
      case Target.OfArtifact(ArtifactId id) -> id;
      case Target.OfChannel channel -> channel.literally();
      default -> throw LinkRefusedException.ofAnotherAddress();
    };
  }

  /** The names in the certificate that TLS has verified, if the client showed one. */
  private String subject(Request request) {
    if (request.isSecure()
        && request.getAttribute(EndPoint.SslSessionData.ATTRIBUTE)
            instanceof EndPoint.SslSessionData session) {
      X509Certificate[] chain = session.peerCertificates();
      if (chain != null && chain.length > 0) {
        return subjects.of(chain[0]);
      }
    }
    return "";
  }

  /**
   * Says why they are refused. A link was verified, and may have ended since: its download may have
   * waited for its turn.
   */
  public ProblemDetail unauthorized(Request request, Credentials credentials) {
    SignedLink link = credentials.link();
    if (link != null) {
      try {
        links.verify(link, request.getMethod());
      } catch (LinkRefusedException e) {
        return Problems.linkRefused(e);
      }
    }
    return Problems.unauthorized();
  }
}
