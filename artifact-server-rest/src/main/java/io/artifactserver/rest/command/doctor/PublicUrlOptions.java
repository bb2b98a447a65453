package io.artifactserver.rest.command.doctor;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.rest.command.client.Authorities;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options that make {@code doctor} ask a server through its proxies. Filled by picocli. */
final class PublicUrlOptions {
  private static final int MOST_SECONDS = 600;

  @Option(
      names = "--public-url",
      paramLabel = "URL",
      description =
          "ask the server at this address, through all proxies, and leave this machine alone")
  @Nullable String url;

  @Option(
      names = "--artifact",
      paramLabel = "REPOSITORY/PATH",
      description = "with --public-url: what to download some bytes of, 1000 bytes or more")
  @Nullable String artifact;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "with --public-url: file with an admin's token, for events and the address")
  @Nullable Path tokenFile;

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description = "with --public-url: PEM file of authorities to trust in place of the system's")
  @Nullable Path authorities;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "with --public-url: what does not come in this time is held back (default: 10)")
  private int seconds = 10;

  /** The server, or nothing if this machine is to be checked. */
  Optional<PublicServer> server(CommandLine line) {
    if (url == null) {
      if (artifact != null || tokenFile != null || authorities != null) {
        throw new ParameterException(
            line, "--artifact, --token-file and --ca are for --public-url, which is missing");
      }
      return Optional.empty();
    }
    if (seconds < 1 || seconds > MOST_SECONDS) {
      throw new ParameterException(
          line, "--timeout is 1 to %d seconds, not %d".formatted(MOST_SECONDS, seconds));
    }
    return Optional.of(
        new PublicServer(base(line, url), token(line), tls(line), Duration.ofSeconds(seconds)));
  }

  /** The artifact to download, if one is named. */
  Optional<ArtifactId> artifact(CommandLine line) {
    String name = artifact;
    if (name == null) {
      return Optional.empty();
    }
    int slash = name.indexOf('/');
    if (slash < 1) {
      throw new ParameterException(
          line, "--artifact is REPOSITORY/PATH, not \"%s\"".formatted(name));
    }
    try {
      return Optional.of(new ArtifactId(name.substring(0, slash), name.substring(slash + 1)));
    } catch (InvalidNameException e) {
      throw new ParameterException(line, String.valueOf(e.getMessage()));
    }
  }

  private static URI base(CommandLine line, String url) {
    try {
      URI uri = URI.create(url.strip().replaceAll("/+$", ""));
      if (("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
          && uri.getHost() != null
          && uri.getRawQuery() == null
          && uri.getRawFragment() == null
          && uri.getRawUserInfo() == null) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      // The same answer as below.
    }
    throw new ParameterException(
        line, "--public-url is https://HOST or http://HOST:PORT, not \"%s\"".formatted(url));
  }

  private Optional<String> token(CommandLine line) {
    if (tokenFile == null) {
      return Optional.empty();
    }
    try {
      String token = Files.readString(tokenFile).strip();
      if (!token.isEmpty() && token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
        return Optional.of(token);
      }
    } catch (IOException e) {
      throw new ParameterException(
          line, "cannot read the token file %s: %s".formatted(tokenFile, e.getMessage()), e);
    }
    throw new ParameterException(line, "there is no token in " + tokenFile);
  }

  private SSLContext tls(CommandLine line) {
    try {
      return authorities == null ? SSLContext.getDefault() : Authorities.trusting(authorities);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    } catch (IOException | GeneralSecurityException e) {
      throw new ParameterException(
          line, "cannot read the authorities in %s: %s".formatted(authorities, e.getMessage()), e);
    }
  }
}
