package io.artifactserver.rest.server.guard;

/** Why the server ended a connection. */
enum End {
  /** Nothing was asked for. */
  IDLE,
  /** A request, or a handshake, took too long. */
  REQUEST,
  /** A client took or sent nothing. */
  STALL,
  /** A client took or sent too little. */
  RATE,
  /** The limit was exceeded by more than can be answered. */
  LIMIT,
  /** It asked for nothing, or its client took nothing, and all connections were taken. */
  ROOM,
  /** The server held too much for all of its clients, and most for this one. */
  HELD
}
