package io.penstock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.cli.TerminalStyle.Tone;
import java.io.IOError;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jline.keymap.BindingReader;
import org.jline.keymap.KeyMap;
import org.jline.terminal.Attributes;
import org.jline.terminal.Attributes.ControlChar;
import org.jline.terminal.Attributes.InputFlag;
import org.jline.terminal.Attributes.LocalFlag;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;
import org.jline.utils.NonBlocking;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Shows a gateway on the terminal and handles keys, until the user quits. */
final class TerminalViewer {
  private static final int INBOX = 4_096;
  private static final int PAGE = 10;

  /** Shortest interval between two redraws, except after key presses. */
  private static final long FRAME_MILLIS = 100;

  private static final long IDLE_MILLIS = 500;

  private final Terminal terminal;
  private final InstantSource clock;
  private final BlockingQueue<ViewerMessage> inbox = new ArrayBlockingQueue<>(INBOX);
  private final GatewayBoard board;
  private final BoardView view = new BoardView();
  private final BoardScreen screen;
  private final GatewayFeed feed;
  private final Attributes before;
  private final AtomicBoolean drawing = new AtomicBoolean();
  private final Display display;
  private Size size = new Size(80, 24);
  private @Nullable String hopeless;

  TerminalViewer(
      Terminal terminal, OperatorClient client, TerminalStyle terminalStyle, InstantSource clock) {
    this.terminal = terminal;
    this.clock = clock;
    this.board = new GatewayBoard(clock, ZoneId.systemDefault());
    this.screen = new BoardScreen(terminalStyle, client.attach());
    this.feed = new GatewayFeed(client, inbox);
    this.before = terminal.getAttributes();
    this.display = new Display(terminal, true);
  }

  /** Runs until the user quits; returns null, or in one line why it could not continue. */
  @Nullable String run() throws InterruptedException {
    try (feed) {
      enter();
      feed.start();
      Thread.ofPlatform().daemon().name("penstock-top-keys").start(this::readKeys);
      loop();
    } finally {
      restore();
    }
    return hopeless;
  }

  private void enter() {
    drawing.set(true);
    terminal.handle(Terminal.Signal.INT, signal -> inbox.offer(KeyPress.QUIT));
    terminal.handle(Terminal.Signal.WINCH, signal -> inbox.offer(KeyPress.REDRAW));
    terminal.handle(Terminal.Signal.CONT, signal -> inbox.offer(KeyPress.REDRAW));
    terminal.setAttributes(raw());
    terminal.puts(Capability.enter_ca_mode);
    terminal.puts(Capability.keypad_xmit);
    terminal.puts(Capability.cursor_invisible);
    terminal.flush();
  }

  /**
   * Returns terminal attributes for reading keys one by one without echo. Ctrl-C is an ordinary
   * key, because the signal would also reach the child process that reads the size of the terminal.
   */
  private Attributes raw() {
    Attributes raw = new Attributes(before);
    raw.setLocalFlags(
        EnumSet.of(LocalFlag.ICANON, LocalFlag.ECHO, LocalFlag.IEXTEN, LocalFlag.ISIG), false);
    raw.setInputFlags(EnumSet.of(InputFlag.IXON, InputFlag.ICRNL, InputFlag.INLCR), false);
    raw.setControlChar(ControlChar.VMIN, 1);
    raw.setControlChar(ControlChar.VTIME, 0);
    return raw;
  }

  /** Restores the terminal's original state; further calls have no effect. Safe from any thread. */
  void restore() {
    if (drawing.getAndSet(false)) {
      synchronized (display) {
        terminal.puts(Capability.cursor_normal);
        terminal.puts(Capability.keypad_local);
        terminal.puts(Capability.exit_ca_mode);
        terminal.flush();
        terminal.setAttributes(before);
      }
    }
  }

  private void readKeys() {
    KeyMap<KeyPress> keys = keys();
    // The terminal's own reader would change how keys are read, even after the end.
    BindingReader reader =
        new BindingReader(NonBlocking.nonBlocking("penstock-top-keys", System.in, UTF_8));
    try {
      KeyPress key = reader.readBinding(keys);
      while (key != null) {
        inbox.put(key);
        key = reader.readBinding(keys);
      }
      inbox.put(KeyPress.QUIT); // the input has ended
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private KeyMap<KeyPress> keys() {
    KeyMap<KeyPress> keys = new KeyMap<>();
    keys.setAmbiguousTimeout(50);
    keys.bind(KeyPress.QUIT, "q", "Q", KeyMap.ctrl('C'), KeyMap.ctrl('D'));
    keys.bind(KeyPress.UP, "k", "\033[A", "\033OA");
    keys.bind(KeyPress.DOWN, "j", "\033[B", "\033OB");
    keys.bind(KeyPress.PAGE_UP, KeyMap.ctrl('B'), "\033[5~");
    keys.bind(KeyPress.PAGE_DOWN, KeyMap.ctrl('F'), "\033[6~");
    keys.bind(KeyPress.FIRST, "g", "\033[H", "\033OH", "\033[1~");
    keys.bind(KeyPress.LAST, "G", "\033[F", "\033OF", "\033[4~");
    keys.bind(KeyPress.PAUSE, "p");
    keys.bind(KeyPress.RESUME, "r");
    keys.bind(KeyPress.TEST, " ");
    keys.bind(KeyPress.INFO, "i");
    keys.bind(KeyPress.REDRAW, KeyMap.ctrl('L'));
    return keys;
  }

  private void loop() throws InterruptedException {
    measure();
    draw();
    long drawn = clock.millis();
    boolean changed = false;
    boolean quit = false;
    while (!quit && hopeless == null) {
      long due = changed ? FRAME_MILLIS : IDLE_MILLIS;
      long left = Math.clamp(drawn + due - clock.millis(), 0, due);
      ViewerMessage message = inbox.poll(left, TimeUnit.MILLISECONDS);
      if (message != null) {
        quit = message == KeyPress.QUIT;
        take(message);
        changed = true;
      }
      long since = clock.millis() - drawn;
      boolean late = since < 0 || since >= FRAME_MILLIS; // the clock may be set back
      // Effects of a key are shown at once.
      if (message == null || message instanceof KeyPress || late) {
        draw();
        drawn = clock.millis();
        changed = false;
      }
    }
  }

  private void take(ViewerMessage message) {
    switch (message) {
      case ViewerMessage.Connected connected -> board.connect();
      case ViewerMessage.Disconnected(String why) -> board.disconnect(why);
      case ViewerMessage.Hopeless(String why) -> hopeless = why;
      case ViewerMessage.LiveUpdate update -> board.update(update.name(), update.data());
      case ViewerMessage.LogEvent event -> {
        board.event(event.name(), event.data());
        if (event.name().equals("config")) {
          askConfiguration();
        }
      }
      case ViewerMessage.Configured(String path, JsonNode config) -> board.configure(path, config);
      case ViewerMessage.Done done ->
          board.note(done.good() ? Tone.GOOD : Tone.BAD, done.what(), done.path(), done.detail());
      case KeyPress key -> press(key);
    }
  }

  private void press(KeyPress key) {
    List<EndpointTree.Row> rows = screen.rows(board);
    switch (key) {
      case UP -> view.move(rows, -1);
      case DOWN -> view.move(rows, 1);
      case PAGE_UP -> page(rows, -PAGE);
      case PAGE_DOWN -> page(rows, PAGE);
      case FIRST -> view.move(rows, -rows.size());
      case LAST -> view.move(rows, rows.size());
      case PAUSE -> ask("pause", rows);
      case RESUME -> ask("resume", rows);
      case TEST -> ask("test", rows);
      case INFO -> view.toggleInfo();
      case REDRAW -> measure();
      case QUIT -> {} // handled by the loop
    }
    askConfiguration();
  }

  /** Asks for the configuration of the endpoint whose details are shown, if there is one. */
  private void askConfiguration() {
    WatchedEndpoint selected = view.endpoint(screen.rows(board));
    if (view.info() && selected != null) {
      feed.askConfiguration(selected.path());
    }
  }

  private void page(List<EndpointTree.Row> rows, int lines) {
    if (view.info()) {
      view.skip(lines);
    } else {
      view.move(rows, lines);
    }
  }

  private void ask(String verb, List<EndpointTree.Row> rows) {
    WatchedEndpoint selected = view.endpoint(rows);
    if (selected != null && board.connected()) {
      feed.ask(verb, selected.path());
    }
  }

  /** Redraws everything at the current size of the terminal. */
  private void measure() {
    try {
      Size now = terminal.getSize();
      boolean known = now.getColumns() > 0 && now.getRows() > 0;
      size = known ? now : new Size(80, 24);
    } catch (IOError unknown) {
      board.note(Tone.BAD, "size", "", "the terminal does not tell its size");
    }
    display.resize(size.getRows(), size.getColumns());
    display.clear();
  }

  private void draw() {
    synchronized (display) {
      if (drawing.get()) { // otherwise the terminal has been restored
        display.update(screen.draw(board, view, size.getColumns(), size.getRows()), -1);
      }
    }
  }
}
