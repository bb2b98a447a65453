package io.artifactserver.rest.command.client;

/** A command cannot do what it was asked to. The message is for the person who typed it. */
class ClientException extends Exception {
  private static final long serialVersionUID = 1L;

  private final Reason reason;
  private final boolean isFinal;

  ClientException(Reason reason, String message) {
    this(reason, message, reason == Reason.OTHER_BYTES);
  }

  private ClientException(Reason reason, String message, boolean isFinal) {
    super(message);
    this.reason = reason;
    this.isFinal = isFinal;
  }

  /** The server will never take this file. */
  static ClientException ofFile(String message) {
    return new ClientException(Reason.FAILED, message, true);
  }

  /** Whether the same command fails whenever it is tried: its upload is of no use any more. */
  boolean isFinal() {
    return isFinal;
  }

  Reason reason() {
    return reason;
  }

  /** Each reason has an exit status of its own. 0 is success; picocli has 2 for its arguments. */
  enum Reason {
    /** The same command may succeed later, and goes on where it was. */
    FAILED(1),
    /** The settings are no good. */
    MISUSED(2),
    /** The server does not accept the token, or the token may not do this. */
    REFUSED(3),
    /** There is no such repository or artifact. */
    ABSENT(4),
    /** The path has other bytes, or bytes came that have another SHA-256. */
    OTHER_BYTES(5);

    private final int exitStatus;

    Reason(int exitStatus) {
      this.exitStatus = exitStatus;
    }

    int exitStatus() {
      return exitStatus;
    }
  }
}
