package io.artifactserver.storage.delta;

/**
 * How much of its checksums a control file keeps a block: as little as makes a wrong match of the
 * whole file unlikely (zsyncmake 0.6.2, make.c). Immutable.
 *
 * @param block length of a block in bytes
 * @param sequence how many matching blocks in a row a client looks for
 * @param rolling bytes of the rolling checksum
 * @param strong bytes of MD4
 */
record ZsyncLengths(int block, int sequence, int rolling, int strong) {
  private static final long SMALL_FILE = 100_000_000;

  /** Base-2 logarithm of a chance of one in a million, by which two blocks may be mixed up. */
  private static final double SAFETY = 20;

  /** Those of a file. */
  static ZsyncLengths of(long length) {
    int block = length < SMALL_FILE ? 2048 : 4096;
    int sequence = length > block ? 2 : 1;
    double log2 = Math.log(2);
    double blocks = Math.log((double) (1 + length / block));
    double rolling = (Math.log((double) length) + Math.log(block)) / log2 - 8.6;
    double strong = SAFETY + (Math.log((double) length) + blocks) / log2;
    int least = (int) ((7.9 + (SAFETY + blocks / log2)) / 8);
    return new ZsyncLengths(
        block,
        sequence,
        Math.clamp((int) Math.ceil(rolling / sequence / 8), 2, 4),
        Math.max((int) Math.ceil(strong / sequence / 8), least));
  }
}
