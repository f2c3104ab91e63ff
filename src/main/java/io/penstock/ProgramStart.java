package io.penstock;

/**
 * The start class of the jar. A Java that is too old is refused here in one line, before it meets a
 * class that it cannot load.
 *
 * <p>This class alone is compiled for the oldest Java that the jar's launcher runs on, so it uses
 * nothing newer.
 */
public final class ProgramStart {
  private static final int OLDEST = 25;
  private static final int REFUSED = 2;

  private ProgramStart() {}

  /** Runs {@link Penstock} if this Java can. */
  public static void main(String[] arguments) {
    if (Runtime.version().feature() < OLDEST) {
      System.err.println(
          "penstock: Java "
              + OLDEST
              + " or newer is needed, and this is Java "
              + System.getProperty("java.version")
              + " ("
              + System.getProperty("java.home")
              + "): run the jar with another java, or use the command penstock beside the jar,"
              + " which looks for one");
      System.exit(REFUSED);
    }
    Penstock.main(arguments);
  }
}
