package io.artifactserver.rest.http;

import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * Makes inputs out of real ones: splices them, puts words of the grammar into them, repeats, drops
 * and changes characters. The same seed makes the same inputs. Used by one thread.
 */
public final class FieldMutator {
  private static final int MAX_LENGTH = 2_000;
  private static final String CHARACTERS =
      "0123456789-,=;:*/%\"' \t\r\n\0\\.~+azAZwWfF\u007f\u0080\u00e9\u00ff\u2028\uff10\uff21\ud83d\ude00";

  private final RandomGenerator random;
  private final List<String> corpus;
  private final List<String> words;

  /**
   * @param corpus real inputs
   * @param words of the grammar
   */
  public FieldMutator(long seed, List<String> corpus, List<String> words) {
    this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    this.corpus = List.copyOf(corpus);
    this.words = List.copyOf(words);
  }

  /** The next input; one in nine or so is of the corpus as it is. */
  public String next() {
    StringBuilder input = new StringBuilder(oneOf(corpus));
    for (int mutations = random.nextInt(9); mutations > 0; mutations--) {
      mutate(input);
    }
    return input.substring(0, Math.min(input.length(), MAX_LENGTH));
  }

  private void mutate(StringBuilder input) {
    int at = random.nextInt(input.length() + 1);
    int end = Math.min(input.length(), at + random.nextInt(1, 9));
    switch (random.nextInt(7)) {
      case 0 -> input.insert(at, oneOf(words));
      case 1 -> input.delete(at, end);
      case 2 -> input.insert(at, input.substring(at, end).repeat(random.nextInt(1, 40)));
      case 3 -> input.replace(at, end, oneOf(words));
      case 4 -> input.append(',').append(oneOf(corpus));
      case 5 -> {
        String other = oneOf(corpus);
        input.replace(at, input.length(), other.substring(random.nextInt(other.length() + 1)));
      }
      default -> {
        String character = String.valueOf(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
        input.replace(at, Math.min(input.length(), at + 1), character);
      }
    }
  }

  private String oneOf(List<String> texts) {
    return texts.get(random.nextInt(texts.size()));
  }
}
