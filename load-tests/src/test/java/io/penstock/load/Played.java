package io.penstock.load;

import io.gatling.javaapi.core.Simulation;
import java.io.IOException;
import java.io.UncheckedIOException;

/** A scenario that Gatling plays: what it needs is started before, and ends after it. */
public abstract class Played extends Simulation {
  private final Settings settings = Settings.told();
  private final String name;
  private final Stage stage;

  Played(String name) throws IOException {
    this.name = name;
    this.stage = new Stage(settings.made(name), settings.jar());
  }

  final Settings settings() {
    return settings;
  }

  final Stage stage() {
    return stage;
  }

  /** Starts what is played with. */
  abstract void start() throws IOException, InterruptedException;

  /** Says what came of it; all that was started still runs. */
  abstract Report report() throws IOException, InterruptedException;

  @Override
  public final void before() {
    try {
      start();
    } catch (IOException e) {
      stage.close();
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      stage.close();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public final void after() {
    try {
      report().write(settings.directory(), name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    } finally {
      stage.close();
    }
  }
}
