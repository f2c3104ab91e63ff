package io.penstock.store;

/** The sentence that refuses stored data whose format is not the one that this version reads. */
public final class StoredFormat {
  private StoredFormat() {}

  /**
   * Returns the sentence.
   *
   * @param what the stored data, such as "the file"
   * @param format its format
   * @param known the format that this version reads
   * @param instead what to use in its place
   */
  public static String refusal(String what, Object format, Object known, String instead) {
    return ("%s has format %s, but this version of Penstock reads format %s: use %s, or the version"
            + " that wrote it")
        .formatted(what, format, known, instead);
  }
}
