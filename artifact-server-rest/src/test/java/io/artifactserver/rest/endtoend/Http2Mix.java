package io.artifactserver.rest.endtoend;

import io.artifactserver.rest.endtoend.MixSite.Transport;
import java.io.IOException;
import java.util.List;

/** Kinds of clients of HTTP/2, with and without TLS; each call is the life of a connection. */
enum Http2Mix implements MixKind {
  /** Takes every answer, through windows of all sizes. */
  STREAMS {
    @Override
    public void visit(Visit visit) throws IOException {
      int window =
          visit.random().nextInt(3) == 0
              ? visit.random().nextInt(1_000, 65_536)
              : Http2Conversation.NO_LIMIT;
      try (Http2Conversation conversation = new Http2Conversation(visit, 0, window)) {
        for (int round = visit.random().nextInt(1, 4); round > 0; round--) {
          for (int i = visit.random().nextInt(1, 30); i > 0; i--) {
            conversation.ask(visit.any());
          }
          conversation.settle();
        }
      }
    }
  },

  /** Resets streams at random, while their answers come. */
  RESETS {
    @Override
    public void visit(Visit visit) throws IOException {
      try (Http2Conversation conversation =
          new Http2Conversation(visit, SMALL, Http2Conversation.NO_LIMIT)) {
        for (int wave = visit.random().nextInt(1, 4); wave > 0; wave--) {
          resetSome(visit, conversation);
        }
      }
    }
  },

  /** Sends what has no place there, and then resets. */
  ODD {
    @Override
    public void visit(Visit visit) throws IOException {
      try (Http2Conversation conversation =
          new Http2Conversation(visit, SMALL, Http2Conversation.NO_LIMIT)) {
        askMuch(visit, conversation, 12);
        conversation.ask(visit.any());
        for (int i = visit.random().nextInt(20); i > 0; i--) {
          conversation.receive();
        }
        for (int stream : conversation.openStreams()) {
          conversation.sendOdd(stream);
          if (visit.random().nextBoolean()) {
            conversation.sendData(stream);
          }
          conversation.reset(stream);
        }
        settleAndAskAgain(visit, conversation);
      }
    }
  },

  /** Does not read until its socket is full, resets, and then reads what still comes. */
  UNREAD {
    @Override
    public void visit(Visit visit) throws IOException {
      try (Http2Conversation conversation =
          new Http2Conversation(visit, SMALL, Http2Conversation.NO_LIMIT)) {
        askMuch(visit, conversation, 8);
        conversation.awaitFull();
        for (int stream : conversation.openStreams()) {
          if (visit.random().nextInt(3) > 0) {
            conversation.sendData(stream);
          }
          conversation.reset(stream);
        }
        // Others get the buffers meanwhile, if the server gives them away.
        conversation.awaitFull();
        settleAndAskAgain(visit, conversation);
      }
    }
  },

  /** Resets so often that the server may end the connection; reads what still comes. */
  BEYOND_RATE {
    @Override
    public void visit(Visit visit) throws IOException {
      try (Http2Conversation conversation =
          new Http2Conversation(visit, SMALL, Http2Conversation.NO_LIMIT)) {
        askMuch(visit, conversation, 8);
        conversation.awaitFull();
        conversation.flood(MAX_CONTROL_FRAMES * 2);
        conversation.awaitFull();
        conversation.settle();
      }
    }
  },

  /** Says that it asks no more, and takes what it has asked for. */
  GOES_AWAY {
    @Override
    public void visit(Visit visit) throws IOException {
      try (Http2Conversation conversation =
          new Http2Conversation(visit, 0, Http2Conversation.NO_LIMIT)) {
        for (int i = visit.random().nextInt(1, 20); i > 0; i--) {
          conversation.ask(visit.any());
        }
        conversation.receive();
        conversation.sayGoAway();
        while (!conversation.openStreams().isEmpty()) {
          conversation.receive();
        }
        conversation.provoke();
        conversation.readToEnd();
      }
    }
  };

  /** A receive buffer, in bytes: most of what is under way waits in the server. */
  private static final int SMALL = 64 * 1024;

  /** The server's, per second and connection. */
  private static final int MAX_CONTROL_FRAMES = 2_000;

  @Override
  public boolean speaks(Transport transport) {
    return transport.isHttp2();
  }

  /** Asks for long answers that take no token: what a stranger may get the server to send. */
  static void askMuch(Visit visit, Http2Conversation conversation, int most) throws IOException {
    for (int i = visit.random().nextInt(1, most + 1); i > 0; i--) {
      MarkedArtifact artifact = Ask.anyPublic(visit.random());
      conversation.ask(
          visit.random().nextBoolean()
              ? Ask.scattered(artifact, visit.token(), 100)
              : Ask.ranges(artifact, visit.token(), List.of()));
    }
  }

  /** Asks for answers, and resets most of them after as many frames as chance will have. */
  static void resetSome(Visit visit, Http2Conversation conversation) throws IOException {
    if (visit.random().nextInt(4) == 0) {
      askMuch(visit, conversation, 6);
    }
    for (int i = visit.random().nextInt(1, 24); i > 0; i--) {
      MarkedArtifact artifact = Ask.anyPublic(visit.random());
      conversation.ask(
          visit.random().nextInt(3) == 0
              ? Ask.scattered(artifact, visit.token(), 100)
              : Ask.range(artifact, visit.token(), visit.random(), 1 << 20));
    }
    for (int i = visit.random().nextInt(1, 12); i > 0; i--) {
      conversation.ask(visit.any());
    }
    for (int stream : conversation.openStreams()) {
      for (int i = visit.random().nextInt(3); i > 0 && !conversation.openStreams().isEmpty(); i--) {
        conversation.receive();
      }
      if (visit.random().nextInt(12) > 0) {
        conversation.reset(stream);
      }
    }
    conversation.settle();
  }

  /** The connection is as good as before. */
  private static void settleAndAskAgain(Visit visit, Http2Conversation conversation)
      throws IOException {
    conversation.settle();
    conversation.ask(visit.any());
    conversation.settle();
  }
}
