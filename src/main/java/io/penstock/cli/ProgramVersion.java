package io.penstock.cli;

import picocli.CommandLine.IVersionProvider;

/** The version of the program and of the Java that runs it. */
final class ProgramVersion implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {text()};
  }

  static String text() {
    String version = ProgramVersion.class.getPackage().getImplementationVersion();
    return "penstock %s (Java %s)"
        .formatted(version == null ? "development" : version, System.getProperty("java.version"));
  }
}
