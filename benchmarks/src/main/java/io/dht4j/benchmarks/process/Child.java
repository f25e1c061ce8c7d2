package io.dht4j.benchmarks.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.LineReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A JVM that this one has started, with the same class path, and that does what it is told: the parent's side of
 * {@link ChildService}. Safe for use by any number of threads.
 *
 * <p>It lives no longer than this process: closing it, the end of this JVM, and, since its input ends then, the death
 * of this process by {@code kill -9} end it. Its death fails every command under way at once, and every later one.
 */
public final class Child implements AutoCloseable {

    private static final int MOST_WAITING = 64;
    private static final Path NICE = Path.of("/usr/bin/nice");

    /** Wakes the thread that writes. */
    private static final byte[] NOTHING = {};

    private static final Duration CLOSING = Duration.ofSeconds(15);
    private static final Duration LAST_LINES = Duration.ofSeconds(2);

    private final ChildSpec spec;
    private final Process process;
    private final LogTail log;
    private final Thread logReader;
    private final Thread answerReader;
    private final Thread killer;
    private final AtomicLong lastId = new AtomicLong();
    private final Map<Long, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();
    private final BlockingQueue<byte[]> outgoing = new ArrayBlockingQueue<>(MOST_WAITING);
    private final CompletableFuture<Integer> ended = new CompletableFuture<>();
    private volatile boolean closing;

    private Child(ChildSpec spec, Process process, LogTail log) {
        this.spec = spec;
        this.process = process;
        this.log = log;
        this.killer = new Thread(process::destroyForcibly, "end of " + spec.name());
        this.logReader = daemon("log", () -> log.readAll(process.getErrorStream()));
        this.answerReader = daemon("answers", this::readAnswers);
    }

    /**
     * Starts a child. Does not wait until it answers; {@link #ping} does.
     *
     * @param spec what to start
     * @return the child, to be closed
     * @throws IOException if the system does not start it
     */
    public static Child start(ChildSpec spec) throws IOException {
        LogTail log = new LogTail(spec.log());
        Process process;
        try {
            process = new ProcessBuilder(commandLine(spec)).start();
        } catch (IOException e) {
            log.close();
            throw e;
        }
        Child child = new Child(spec, process, log);
        child.begin();
        return child;
    }

    private static List<String> commandLine(ChildSpec spec) {
        List<String> line = new ArrayList<>();
        if (spec.favoured() && Files.isExecutable(NICE)) {
            // Where the user may not, it says so in the log and starts the command all the same.
            line.addAll(List.of(NICE.toString(), "-n", "-10"));
        }
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.add("-XX:+ExitOnOutOfMemoryError");
        if (Runtime.version().feature() >= 24) {
            line.add("--enable-native-access=ALL-UNNAMED");
            line.add("--sun-misc-unsafe-memory-access=allow");
        }
        // Neither in the directory of whoever runs the experiment, nor in one that is deleted at its end.
        line.add("-XX:ErrorFile=" + Path.of(System.getProperty("java.io.tmpdir"), "hs_err_pid%p.log"));
        line.addAll(spec.jvmFlags());
        line.addAll(List.of(
                "-cp", System.getProperty("java.class.path"), spec.main().getName()));
        return line;
    }

    private void begin() {
        try {
            Runtime.getRuntime().addShutdownHook(killer);
        } catch (IllegalStateException e) {
            // This JVM is ending already.
            process.destroyForcibly();
        }
        logReader.start();
        answerReader.start();
        daemon("commands", this::writeCommands).start();
        process.onExit().thenRun(() -> daemon("exit", this::afterExit).start());
    }

    private Thread daemon(String what, Runnable task) {
        Thread thread = new Thread(task, spec.name() + " " + what);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * What messages call it.
     *
     * @return the name it was started with
     */
    public String name() {
        return spec.name();
    }

    /**
     * The number of its process.
     *
     * @return as the system counts
     */
    public long pid() {
        return process.pid();
    }

    /**
     * What it logged last: everything that it wrote to standard error.
     *
     * @return the last lines, the newest last
     */
    public List<String> lastLines() {
        return log.lines();
    }

    /**
     * Completes when the process has ended, for whatever reason.
     *
     * @return its exit code, in a future of the caller's own
     */
    public CompletableFuture<Integer> onExit() {
        return ended.copy();
    }

    /**
     * Waits until it answers.
     *
     * @param deadline how long to wait at most
     * @throws ChildException if it does not, or has ended
     * @throws InterruptedException if the thread is interrupted
     */
    public void ping(Duration deadline) throws ChildException, InterruptedException {
        call(Json.PING, Map.of(), Long.class, deadline);
    }

    /**
     * Gives a command and waits for its end.
     *
     * @param command its name
     * @param arguments what Jackson writes as an object, whose fields become the command's; none may be called
     *     {@code id} or {@code command}
     * @param deadline how long to wait at most; then, as when the thread is interrupted, the command is cancelled
     * @throws ChildException if the child answers with an error, does not answer in time, or has ended
     *     ({@link ChildDiedException})
     * @throws InterruptedException if the thread is interrupted
     */
    public void call(String command, Object arguments, Duration deadline) throws ChildException, InterruptedException {
        answer(command, arguments, deadline);
    }

    /**
     * Gives a command and waits for its result.
     *
     * @param <R> type of the result
     * @param command its name
     * @param arguments what Jackson writes as an object, whose fields become the command's; none may be called
     *     {@code id} or {@code command}
     * @param result what Jackson makes of the answer
     * @param deadline how long to wait at most; then, as when the thread is interrupted, the command is cancelled
     * @return the result
     * @throws ChildException if the child answers with an error or something else than a result, does not answer in
     *     time, or has ended ({@link ChildDiedException})
     * @throws InterruptedException if the thread is interrupted
     */
    public <R> R call(String command, Object arguments, Class<R> result, Duration deadline)
            throws ChildException, InterruptedException {
        JsonNode answer = answer(command, arguments, deadline);
        try {
            R read = Json.MAPPER.treeToValue(answer, result);
            if (read == null) {
                throw new ChildException(spec.name() + ": " + command + ": the answer has no result");
            }
            return read;
        } catch (JsonProcessingException e) {
            throw new ChildException(
                    spec.name() + ": " + command + ": the answer is no " + result.getSimpleName() + ": "
                            + e.getOriginalMessage(),
                    e);
        }
    }

    private JsonNode answer(String command, Object arguments, Duration deadline)
            throws ChildException, InterruptedException {
        long id = lastId.incrementAndGet();
        byte[] line = line(id, command, arguments);
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        waiting.put(id, answer);
        try {
            if (ended.isDone()) {
                throw died();
            }
            if (!outgoing.offer(line)) {
                throw new ChildException(spec.name() + " does not read its commands: " + MOST_WAITING + " wait");
            }
            return answer.get(deadline.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
            throw new ChildRefusedException(spec.name() + ": " + command + ": " + cause.getMessage(), cause);
        } catch (CancellationException e) {
            throw died();
        } catch (TimeoutException e) {
            cancel(id);
            throw new ChildException(
                    spec.name() + " has not answered to " + command + " within " + deadline.toMillis() + " ms"
                            + heard(),
                    e);
        } catch (InterruptedException e) {
            cancel(id);
            throw e;
        } finally {
            waiting.remove(id);
        }
    }

    private static byte[] line(long id, String command, Object arguments) {
        JsonNode given = Json.MAPPER.valueToTree(arguments);
        if (!(given instanceof ObjectNode object) || given.has(Json.ID) || given.has(Json.COMMAND)) {
            throw new IllegalArgumentException(
                    "arguments of " + command + ": must be an object without the fields id and command");
        }
        object.put(Json.ID, id).put(Json.COMMAND, command);
        return (object + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Nobody waits for the answer to this one either: if it is not taken, the command goes on in vain. */
    private void cancel(long id) {
        outgoing.offer(line(lastId.incrementAndGet(), Json.CANCEL, Map.of("target", id)));
    }

    private String heard() {
        List<String> lines = log.lines();
        return lines.isEmpty() ? "; it logged nothing" : "; its last log lines:\n  " + String.join("\n  ", lines);
    }

    private ChildDiedException died() {
        return new ChildDiedException(spec.name(), ended.getNow(-1), log.lines());
    }

    private void writeCommands() {
        // Closed by this thread alone: closing a stream waits for a write, which a child that hangs may hold up for
        // ever.
        try (OutputStream commands = process.getOutputStream()) {
            while (!ended.isDone() && !(closing && outgoing.isEmpty())) {
                byte @Nullable [] line = outgoing.poll(1, TimeUnit.SECONDS);
                if (line != null) {
                    commands.write(line);
                    commands.flush();
                }
            }
        } catch (IOException | InterruptedException e) {
            // It has closed its input, which it does by ending; afterExit tells those who wait. One that merely refuses
            // to read is found out by the deadline.
            log.add("(takes no more commands: " + e.getMessage() + ")");
        }
    }

    private void readAnswers() {
        LineReader lines = new LineReader(process.getInputStream(), Json.MAX_LINE);
        try {
            for (Optional<byte[]> line = lines.next(); line.isPresent(); line = lines.next()) {
                accept(line.get());
            }
        } catch (IOException | ClientException e) {
            if (!closing) {
                log.add("(gives no more answers: " + e.getMessage() + ")");
                process.destroyForcibly();
            }
        }
    }

    private void accept(byte[] line) {
        JsonNode answer;
        try {
            answer = Json.MAPPER.readTree(line);
        } catch (IOException e) {
            // The JVM itself warns on standard output.
            log.add(new String(line, StandardCharsets.UTF_8));
            return;
        }
        CompletableFuture<JsonNode> waiter = waiting.get(answer.path(Json.ID).asLong(-1));
        if (waiter == null) {
            // An answer that comes too late.
            return;
        }
        if (answer.has(Json.RESULT)) {
            waiter.complete(answer.get(Json.RESULT));
        } else {
            waiter.completeExceptionally(
                    new CommandFailed(answer.path(Json.ERROR).asText("neither a result nor an error")));
        }
    }

    private void afterExit() {
        try {
            // What it said last may still be on its way; something that it started may keep the stream open for ever.
            logReader.join(LAST_LINES.toMillis());
            // A JVM that cannot start says why on its standard output.
            answerReader.join(LAST_LINES.toMillis());
        } catch (InterruptedException e) {
            log.add("(interrupted while reading the last lines)");
        }
        ended.complete(process.exitValue());
        waiting.values().forEach(waiter -> waiter.cancel(false));
        try {
            Runtime.getRuntime().removeShutdownHook(killer);
        } catch (IllegalStateException e) {
            // The hooks are running; the process is gone anyway.
            closing = true;
        }
        log.close();
    }

    /** Ends it at once, as {@code kill -9} does. Returns when it is gone. */
    public void kill() {
        closing = true;
        process.destroyForcibly();
        ended.join();
    }

    /** Closes its input, on which it puts its things in order and ends. Does not wait. */
    void askToEnd() {
        closing = true;
        outgoing.offer(NOTHING);
    }

    /**
     * Ends it: closes its input, so that it puts its things in order, and after {@code 15} seconds ends it by force.
     * Blocks until it is gone. Commands under way fail. May be called repeatedly.
     */
    @Override
    public void close() {
        askToEnd();
        try {
            ended.get(CLOSING.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            log.add("(ended by force: " + e + ")");
        } catch (InterruptedException e) {
            // The process must not outlive this call, but there is no time to wait for its orderly end.
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
        ended.join();
    }

    /** The child answered with an error, or will not answer. Without a stack trace: it is rethrown with one. */
    private static final class CommandFailed extends Exception {

        private static final long serialVersionUID = 1;

        CommandFailed(String message) {
            super(message, null, false, false);
        }
    }
}
