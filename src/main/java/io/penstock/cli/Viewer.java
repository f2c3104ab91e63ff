package io.penstock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.cli.Look.Tone;
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

/** Shows a gateway on the terminal and handles keys, until the user quits. */
final class Viewer {
  private static final int INBOX = 4_096;
  private static final int PAGE = 10;

  /** Shortest interval between two redraws, except after key presses. */
  private static final long FRAME_MILLIS = 100;

  private static final long IDLE_MILLIS = 500;

  private final Terminal terminal;
  private final InstantSource clock;
  private final BlockingQueue<Message> inbox = new ArrayBlockingQueue<>(INBOX);
  private final Board board;
  private final View view = new View();
  private final Screen screen;
  private final Feed feed;
  private final Attributes before;
  private final AtomicBoolean drawing = new AtomicBoolean();
  private final Display display;
  private Size size = new Size(80, 24);
  private @Nullable String hopeless;

  Viewer(Terminal terminal, OperatorClient client, Look look, InstantSource clock) {
    this.terminal = terminal;
    this.clock = clock;
    this.board = new Board(clock, ZoneId.systemDefault());
    this.screen = new Screen(look, client.attach());
    this.feed = new Feed(client, inbox, clock);
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
    terminal.handle(Terminal.Signal.INT, signal -> inbox.offer(Press.QUIT));
    terminal.handle(Terminal.Signal.WINCH, signal -> inbox.offer(Press.REDRAW));
    terminal.handle(Terminal.Signal.CONT, signal -> inbox.offer(Press.REDRAW));
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
    KeyMap<Press> keys = keys();
    // The terminal's own reader would change how keys are read, even after the end.
    BindingReader reader =
        new BindingReader(NonBlocking.nonBlocking("penstock-top-keys", System.in, UTF_8));
    try {
      Press key = reader.readBinding(keys);
      while (key != null) {
        inbox.put(key);
        key = reader.readBinding(keys);
      }
      inbox.put(Press.QUIT); // the input has ended
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private KeyMap<Press> keys() {
    KeyMap<Press> keys = new KeyMap<>();
    keys.setAmbiguousTimeout(50);
    keys.bind(Press.QUIT, "q", "Q", KeyMap.ctrl('C'), KeyMap.ctrl('D'));
    keys.bind(Press.UP, "k", "\033[A", "\033OA");
    keys.bind(Press.DOWN, "j", "\033[B", "\033OB");
    keys.bind(Press.PAGE_UP, KeyMap.ctrl('B'), "\033[5~");
    keys.bind(Press.PAGE_DOWN, KeyMap.ctrl('F'), "\033[6~");
    keys.bind(Press.FIRST, "g", "\033[H", "\033OH", "\033[1~");
    keys.bind(Press.LAST, "G", "\033[F", "\033OF", "\033[4~");
    keys.bind(Press.PAUSE, "p");
    keys.bind(Press.RESUME, "r");
    keys.bind(Press.TEST, " ");
    keys.bind(Press.INFO, "i");
    keys.bind(Press.REDRAW, KeyMap.ctrl('L'));
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
      Message message = inbox.poll(left, TimeUnit.MILLISECONDS);
      if (message != null) {
        quit = message == Press.QUIT;
        take(message);
        changed = true;
      }
      long since = clock.millis() - drawn;
      boolean late = since < 0 || since >= FRAME_MILLIS; // the clock may be set back
      // Effects of a key are shown at once.
      if (message == null || message instanceof Press || late) {
        draw();
        drawn = clock.millis();
        changed = false;
      }
    }
  }

  private void take(Message message) {
    switch (message) {
      case Message.Connected connected -> board.connect();
      case Message.Disconnected(String why) -> board.disconnect(why);
      case Message.Hopeless(String why) -> hopeless = why;
      case Message.Told told -> board.told(told.name(), told.data());
      case Message.Endpoints endpoints -> board.endpoints(endpoints.all());
      case Message.Upstreams upstreams -> board.upstreams(upstreams.all());
      case Message.Tickets tickets -> board.tickets(tickets.path(), tickets.page());
      case Message.Done done ->
          board.note(done.good() ? Tone.GOOD : Tone.BAD, done.what(), done.path(), done.detail());
      case Press key -> press(key);
    }
  }

  private void press(Press key) {
    List<Tree.Row> rows = screen.rows(board);
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
      case INFO -> {
        view.toggleInfo();
        feed.wantUpstreams(view.info());
      }
      case REDRAW -> measure();
      case QUIT -> {} // handled by the loop
    }
  }

  private void page(List<Tree.Row> rows, int lines) {
    if (view.info()) {
      view.skip(lines);
    } else {
      view.move(rows, lines);
    }
  }

  private void ask(String verb, List<Tree.Row> rows) {
    Watched selected = view.endpoint(rows);
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
