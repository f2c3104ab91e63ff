package io.penstock.clients;

import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RecordingProxy;
import io.penstock.fake.RecordingProxy.Exchange;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A coding agent that runs, and what it has asked and said so far. */
final class AgentRun implements AutoCloseable {
  private static final Pattern BLANKS = Pattern.compile("\\s+");

  private final Ticker ticker = Ticker.system();
  private final RecordingProxy proxy;
  private final ClientProcess process;
  private final long startedNanos = ticker.nanos();
  private final Path home;
  private final String path;
  private final String key;

  /** Starts an agent. */
  @FunctionalInterface
  interface Start {
    /** Starts it in a directory of its own, with a gateway's address. */
    ClientProcess at(Path home, String base, String key) throws IOException;
  }

  /** Starts an agent in a directory of its own, with a path of a gateway as its base. */
  AgentRun(Start agent, Path home, int gatewayPort, String path, String key) throws IOException {
    this.home = home;
    this.path = path;
    this.key = key;
    proxy = new RecordingProxy(gatewayPort);
    process = agent.at(home, proxy.url() + path, key);
  }

  /** Writes what it has sent as a record, when records are written. */
  void record(String name, String title, String dialect) {
    new AgentRecorder(home, key, path).write(name, title, dialect, this);
  }

  ClientProcess process() {
    return process;
  }

  /** Waits until it has ended; returns its exit status. */
  int end() {
    return PatientWaits.join(process.status());
  }

  /** Returns what it has said, with every blank as one space. */
  String output() {
    return BLANKS.matcher(String.join(" ", process.lines())).replaceAll(" ");
  }

  /**
   * Waits until it has said something, has ended, or has had enough time; returns whether it did.
   */
  boolean says(String words, Duration longest) {
    long until = ticker.nanos() + longest.toNanos();
    PatientWaits.await()
        .until(() -> output().contains(words) || process.status().isDone() || isOver(until));
    if (!output().contains(words) && !process.status().isDone()) {
      return false;
    }
    if (output().contains(words)) {
      return true; // it may still run, and would be waited for below
    }
    process.awaitOutput();
    return output().contains(words);
  }

  /** Returns whether it ends by itself in a time. */
  boolean ends(Duration longest) {
    long until = ticker.nanos() + longest.toNanos();
    PatientWaits.await().until(() -> process.status().isDone() || isOver(until));
    return process.status().isDone();
  }

  private boolean isOver(long untilNanos) {
    return ticker.nanos() - untilNanos >= 0;
  }

  /** Returns all that it asked, what opens WebSockets included. */
  List<HttpMessage> asks() {
    return proxy.exchanges().stream().map(Exchange::request).toList();
  }

  /** Returns the text messages that it sent through WebSockets. */
  List<String> messages() {
    return proxy.messages();
  }

  /** Returns what it posted. */
  List<Exchange> tries() {
    return proxy.exchanges().stream()
        .filter(each -> each.request().start().startsWith("POST "))
        .toList();
  }

  Stream<HttpMessage> requests() {
    return tries().stream().map(Exchange::request);
  }

  /** Returns the statuses that what it posted was answered with. */
  List<Integer> statuses() {
    return tries().stream().map(each -> PatientWaits.join(each.status())).toList();
  }

  /** Returns the number of its tries, in words. */
  String asked() {
    int tries = tries().size();
    return tries + (tries == 1 ? " try" : " tries");
  }

  /** Returns the time since its first try, in words. */
  String since() {
    long from = tries().isEmpty() ? startedNanos : tries().getFirst().atNanos();
    return String.format(Locale.ROOT, "%.1f s", (ticker.nanos() - from) / 1e9);
  }

  @Override
  public void close() {
    process.kill();
    proxy.close();
  }
}
