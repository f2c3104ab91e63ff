package io.penstock.cli;

import io.penstock.cli.Look.Tone;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jline.keymap.BindingReader;
import org.jline.keymap.KeyMap;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;
import org.jspecify.annotations.Nullable;

/** The screen of a terminal, and its keys, until somebody quits. */
final class Viewer {
  private static final int INBOX = 4_096;
  private static final int PAGE = 10;

  /** How often the screen is drawn at most, and at least. */
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
  private Size size = new Size(0, 0);
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

  /** Shows it until somebody quits; returns null, or in one line why it could not go on. */
  @Nullable String run() throws InterruptedException {
    Thread atExit = new Thread(this::restore, "penstock-top-restore");
    Runtime.getRuntime().addShutdownHook(atExit);
    try (feed) {
      enter();
      feed.start();
      Thread.ofPlatform().daemon().name("penstock-top-keys").start(this::readKeys);
      loop();
    } finally {
      restore();
      forget(atExit);
    }
    return hopeless;
  }

  private static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException exiting) {
      hook.interrupt(); // it runs, and finds nothing to do
    }
  }

  private void enter() {
    drawing.set(true);
    terminal.handle(Terminal.Signal.INT, signal -> inbox.offer(Press.QUIT));
    terminal.handle(Terminal.Signal.WINCH, signal -> inbox.offer(Press.REDRAW));
    terminal.handle(Terminal.Signal.CONT, signal -> inbox.offer(Press.REDRAW));
    terminal.enterRawMode();
    Attributes raw = terminal.getAttributes();
    // Stopped, it would leave its screen behind.
    raw.setControlChar(Attributes.ControlChar.VSUSP, 0);
    terminal.setAttributes(raw);
    terminal.puts(Capability.enter_ca_mode);
    terminal.puts(Capability.keypad_xmit);
    terminal.puts(Capability.cursor_invisible);
    terminal.flush();
  }

  /** Leaves the terminal as it was found; once is enough. */
  private void restore() {
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
    BindingReader reader = new BindingReader(terminal.reader());
    try {
      Press key = reader.readBinding(keys);
      while (key != null) {
        inbox.put(key);
        key = reader.readBinding(keys);
      }
      inbox.put(Press.QUIT); // nobody is there any more
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
    draw();
    long drawn = clock.millis();
    boolean changed = false;
    boolean quit = false;
    while (!quit && hopeless == null) {
      long due = changed ? FRAME_MILLIS : IDLE_MILLIS;
      long left = Math.clamp(drawn + due - clock.millis(), 0, IDLE_MILLIS);
      Message message = inbox.poll(left, TimeUnit.MILLISECONDS);
      if (message != null) {
        quit = message == Press.QUIT;
        take(message);
        changed = true;
        // What somebody pressed shows at once.
        left = message instanceof Press ? 0 : drawn + FRAME_MILLIS - clock.millis();
      }
      if (left <= 0 || message == null) {
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
      case REDRAW -> display.clear();
      case QUIT -> {} // the loop sees to it
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

  private void draw() {
    Size now = terminal.getSize();
    if (now.getColumns() <= 0 || now.getRows() <= 0) {
      now = new Size(80, 24);
    }
    synchronized (display) {
      if (!drawing.get()) {
        return; // the terminal is somebody else's again
      }
      if (!now.equals(size)) {
        size = now;
        display.resize(now.getRows(), now.getColumns());
        display.clear();
      }
      display.update(screen.draw(board, view, now.getColumns(), now.getRows()), -1);
    }
  }
}
