package io.artifactserver.storage.remote.s3;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import software.amazon.awssdk.services.s3.model.CompletedPart;

/**
 * The state with which an upload goes on in another process: the bucket's own listing is never
 * asked for it. Immutable.
 *
 * @param mark of the upload's object
 * @param uploadId of the upload in parts; empty if there is less than a part
 * @param rest the bytes behind the last part, in an object of their own
 * @param olderRest part number of an object that is not needed any more; 0 if there is none
 * @param parts that are sent, in order
 */
record S3UploadState(
    String mark, String uploadId, Rest rest, int olderRest, List<CompletedPart> parts) {
  private static final byte VERSION = 1;

  S3UploadState {
    parts = List.copyOf(parts);
  }

  /**
   * Bytes of a part that is not full.
   *
   * @param number of the part
   * @param length in bytes; 0 if there is no object
   */
  record Rest(int number, int length) {
    static final Rest NONE = new Rest(0, 0);
  }

  /**
   * Reads what {@link #toBytes} made.
   *
   * @throws IllegalArgumentException if it is something else
   */
  static S3UploadState parse(byte[] bytes) {
    try (DataInputStream input = new DataInputStream(new ByteArrayInputStream(bytes))) {
      if (input.readByte() != VERSION) {
        throw new IllegalArgumentException("its upload's state is of an unknown version");
      }
      String mark = input.readUTF();
      String uploadId = input.readUTF();
      Rest rest = new Rest(input.readInt(), input.readInt());
      int olderRest = input.readInt();
      int count = input.readInt();
      List<CompletedPart> parts = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        CompletedPart.Builder part =
            CompletedPart.builder().partNumber(input.readInt()).eTag(input.readUTF());
        String checksum = input.readUTF();
        parts.add((checksum.isEmpty() ? part : part.checksumCRC32C(checksum)).build());
      }
      return new S3UploadState(mark, uploadId, rest, olderRest, parts);
    } catch (IOException e) {
      throw new IllegalArgumentException("its upload's state is cut off", e);
    }
  }

  static byte[] toBytes(
      String mark, String uploadId, Rest rest, int olderRest, Collection<CompletedPart> parts) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream output = new DataOutputStream(bytes)) {
      output.writeByte(VERSION);
      output.writeUTF(mark);
      output.writeUTF(uploadId);
      output.writeInt(rest.number());
      output.writeInt(rest.length());
      output.writeInt(olderRest);
      output.writeInt(parts.size());
      for (CompletedPart part : parts) {
        output.writeInt(part.partNumber());
        output.writeUTF(part.eTag());
        output.writeUTF(part.checksumCRC32C() == null ? "" : part.checksumCRC32C());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
