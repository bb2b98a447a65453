package io.artifactserver.core.access;

/** A signed link that is not good. The message is for its holder, and says why. */
public final class LinkRefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** Without a stack trace: strangers can ask for as many of these as they like. */
  LinkRefusedException(Reason reason) {
    super(reason.message, null, false, false);
    this.reason = reason;
  }

  /** For a request whose address no link can be for. */
  public static LinkRefusedException ofAnotherAddress() {
    return new LinkRefusedException(Reason.NOT_SIGNED);
  }

  /** Why. */
  public Reason reason() {
    return reason;
  }

  /** Why a link is not good. */
  public enum Reason {
    /** The query is not that of a link, or has more behind the signature than is allowed. */
    MALFORMED(
        "The query is not that of a signed link, unchanged and complete, or something is appended"
            + " that this server does not allow"),
    /** The key is unknown or revoked, or the signature is not of this address and these terms. */
    NOT_SIGNED(
        "The link was changed, is for another address, or its key is revoked. Ask for a new one"),
    /** The request's method is not the link's. */
    OTHER_METHOD("The link is for another method"),
    /** Its time has not come. */
    NOT_YET("The link is not valid yet. If it should be, check the clocks of both sides"),
    /** Its time is over. */
    EXPIRED("The link has expired. Ask for a new one"),
    /** It is good for longer than this server allows. */
    TOO_LONG(
        "The link is valid for longer than this server allows (artifact-server.links.max-expiry)");

    private final String message;

    Reason(String message) {
      this.message = message;
    }
  }
}
