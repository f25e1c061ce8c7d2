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
 * The parent's side of {@link ChildService}: a JVM that this one started with the same class path, and that carries out
 * commands. Safe for use by any number of threads.
 *
 * <p>It never outlives this process: closing it, the end of this JVM, and {@code kill -9} of this process, which ends
 * its input, end it. Its death fails every command in progress at once, and every later one.
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
     * Starts a child. Returns at once; {@link #ping} waits until it answers.
     *
     * @param spec describes it
     * @return the child, which the caller closes
     * @throws IOException if the system fails to start it
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
            // If the user may not, it logs that and still starts the command.
            line.addAll(List.of(NICE.toString(), "-n", "-10"));
        }
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.add("-XX:+ExitOnOutOfMemoryError");
        if (Runtime.version().feature() >= 24) {
            line.add("--enable-native-access=ALL-UNNAMED");
            line.add("--sun-misc-unsafe-memory-access=allow");
        }
        // Neither in the user's directory, nor in one that is deleted at the end.
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
     * Returns the name that messages use.
     *
     * @return the name from its description
     */
    public String name() {
        return spec.name();
    }

    /**
     * Returns the id of its process.
     *
     * @return the operating system's process id
     */
    public long pid() {
        return process.pid();
    }

    /**
     * Returns the end of its log, which is its standard error.
     *
     * @return the last lines, the newest last
     */
    public List<String> lastLines() {
        return log.lines();
    }

    /**
     * Returns a future that completes when the process has ended for any reason.
     *
     * @return a new future of its exit code
     */
    public CompletableFuture<Integer> onExit() {
        return ended.copy();
    }

    /**
     * Waits until it answers.
     *
     * @param deadline the longest wait
     * @throws ChildException if it gives no answer, or has ended
     * @throws InterruptedException if the thread is interrupted
     */
    public void ping(Duration deadline) throws ChildException, InterruptedException {
        call(Json.PING, Map.of(), Long.class, deadline);
    }

    /**
     * Sends a command and waits for its end.
     *
     * @param command its name
     * @param arguments written by Jackson as an object whose fields become the command's; the names {@code id} and
     *     {@code command} are reserved
     * @param deadline the longest wait; afterwards, as after an interrupt, the command is cancelled
     * @throws ChildException if the child answers with an error or too late, or has ended ({@link ChildDiedException})
     * @throws InterruptedException if the thread is interrupted
     */
    public void call(String command, Object arguments, Duration deadline) throws ChildException, InterruptedException {
        answer(command, arguments, deadline);
    }

    /**
     * Sends a command and waits for its result.
     *
     * @param <R> type of the result
     * @param command its name
     * @param arguments written by Jackson as an object whose fields become the command's; the names {@code id} and
     *     {@code command} are reserved
     * @param result the type that Jackson reads
     * @param deadline the longest wait; afterwards, as after an interrupt, the command is cancelled
     * @return the result
     * @throws ChildException if the child answers with an error, with another result or too late, or has ended
     *     ({@link ChildDiedException})
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

    /** No thread waits for the answer to this one: if the cancellation fails, the command continues without effect. */
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
        // This thread alone closes it: closing a stream waits for a write, which a hanging child may block forever.
        try (OutputStream commands = process.getOutputStream()) {
            while (!ended.isDone() && !(closing && outgoing.isEmpty())) {
                byte @Nullable [] line = outgoing.poll(1, TimeUnit.SECONDS);
                if (line != null) {
                    commands.write(line);
                    commands.flush();
                }
            }
        } catch (IOException | InterruptedException e) {
            // It has closed its input by ending; afterExit fails the waiting commands. The deadline detects a child
            // that refuses to read.
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
            // The JVM itself prints warnings to standard output.
            log.add(new String(line, StandardCharsets.UTF_8));
            return;
        }
        CompletableFuture<JsonNode> waiter = waiting.get(answer.path(Json.ID).asLong(-1));
        if (waiter == null) {
            // A late answer.
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
            // Its last output may still arrive; a process that it started may keep the stream open forever.
            logReader.join(LAST_LINES.toMillis());
            // A JVM that fails to start prints the reason to its standard output.
            answerReader.join(LAST_LINES.toMillis());
        } catch (InterruptedException e) {
            log.add("(interrupted while reading the last lines)");
        }
        ended.complete(process.exitValue());
        waiting.values().forEach(waiter -> waiter.cancel(false));
        try {
            Runtime.getRuntime().removeShutdownHook(killer);
        } catch (IllegalStateException e) {
            // The hooks are running, which end the process.
            closing = true;
        }
        log.close();
    }

    /** Ends it at once, as {@code kill -9} does. Returns when it has ended. */
    public void kill() {
        closing = true;
        process.destroyForcibly();
        ended.join();
    }

    /** Closes its input, after which it ends in order. Does not wait. */
    public void askToEnd() {
        closing = true;
        outgoing.offer(NOTHING);
    }

    /**
     * Ends it in order by closing its input, and by force after {@code 15} seconds. Blocks until it has ended. Commands
     * in progress fail. Idempotent.
     */
    @Override
    public void close() {
        askToEnd();
        try {
            ended.get(CLOSING.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            log.add("(ended by force: " + e + ")");
        } catch (InterruptedException e) {
            // The process ends with this call, which has no time for an orderly end.
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
        ended.join();
    }

    /** The child answered with an error, or never will. It has no stack trace, since it is rethrown with one. */
    private static final class CommandFailed extends Exception {

        private static final long serialVersionUID = 1;

        CommandFailed(String message) {
            super(message, null, false, false);
        }
    }
}
