package io.dht4j.benchmarks.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.LineReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The child's side of a {@link Child}: reads commands from standard input and writes answers to standard output.
 *
 * <p>A command is a line with a JSON object, {@code {"id":1,"command":"run", ...}}, whose other fields are the
 * command's arguments. Its answer is {@code {"id":1,"result":...}} or {@code {"id":1,"error":"text for people"}}. Each
 * command runs in a thread of its own, so a long one does not delay the others; at most {@value #MOST_AT_A_TIME} run at
 * a time. The end of the input, also by the parent's death, ends the process.
 *
 * <p>Two commands always exist: {@code ping}, and {@code cancel} with the number of another command in the field
 * {@code target}, which interrupts that command's thread.
 *
 * <p>One thread sets it up, then runs it.
 */
public final class ChildService {

    private static final Logger LOG = LoggerFactory.getLogger(ChildService.class);
    private static final int MOST_AT_A_TIME = 16;
    private static final long CLOSING_SECONDS = 10;

    private final Map<String, Registered<?>> commands = new LinkedHashMap<>();
    private final Map<Long, Running> running = new ConcurrentHashMap<>();
    private final ThreadPoolExecutor threads =
            new ThreadPoolExecutor(0, MOST_AT_A_TIME, 1, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                Thread thread = new Thread(task, "command");
                thread.setDaemon(true);
                return thread;
            });

    /** Creates a service that only answers {@code ping}. */
    public ChildService() {
        on(Json.PING, NoArguments.class, nothing -> ProcessHandle.current().pid());
        on(Json.CANCEL, Cancel.class, cancel -> {
            Running command = running.get(cancel.target());
            if (command != null) {
                command.interrupt();
            }
            return command != null;
        });
    }

    /**
     * Carries out a command.
     *
     * @param <A> its arguments
     */
    @FunctionalInterface
    public interface Command<A> {

        /**
         * Carries it out. May block, and may run concurrently with others, in any thread.
         *
         * @param arguments from the parent
         * @return the result, which Jackson writes; null for none
         * @throws Exception if it fails; the message goes to the parent
         */
        @Nullable
        Object run(A arguments) throws Exception;
    }

    /** The arguments of a command without arguments. */
    public record NoArguments() {}

    private record Cancel(long target) {}

    private record Registered<A>(Class<A> arguments, Command<A> command) {

        @Nullable
        Object run(ObjectNode given) throws Exception {
            A read;
            try {
                read = Json.MAPPER.treeToValue(given, arguments);
            } catch (JsonProcessingException e) {
                throw new IllegalArgumentException(e.getOriginalMessage(), e);
            }
            return command.run(read);
        }
    }

    /**
     * Adds a command.
     *
     * @param <A> type of the arguments
     * @param name its name; a second command of the name replaces the first
     * @param arguments a record whose components are the fields of the command; the names {@code id} and
     *     {@code command} are reserved
     * @param command carries it out
     * @return this service
     */
    public <A> ChildService on(String name, Class<A> arguments, Command<A> command) {
        commands.put(name, new Registered<>(arguments, command));
        return this;
    }

    /**
     * Serves the standard streams, and ends the process when the input ends. From now on standard output of the process
     * goes to standard error. Never returns.
     *
     * @param atEnd closed before the process ends, within {@value #CLOSING_SECONDS} seconds at most
     */
    public void run(AutoCloseable atEnd) {
        System.setOut(System.err);
        serve(System.in, new FileOutputStream(FileDescriptor.out));
        Thread watchdog = new Thread(
                () -> {
                    try {
                        TimeUnit.SECONDS.sleep(CLOSING_SECONDS);
                    } catch (InterruptedException e) {
                        LOG.warn("interrupted while closing, ending anyway");
                    }
                    Runtime.getRuntime().halt(1);
                },
                "end");
        watchdog.setDaemon(true);
        watchdog.start();
        int status = 0;
        try {
            atEnd.close();
        } catch (Exception e) {
            LOG.warn("not closed in order", e);
            status = 1;
        }
        System.exit(status);
    }

    /** Serves until the input ends. */
    void serve(InputStream in, OutputStream answers) {
        LineReader lines = new LineReader(in, Json.MAX_LINE);
        try {
            for (Optional<byte[]> line = lines.next(); line.isPresent(); line = lines.next()) {
                accept(line.get(), answers);
            }
        } catch (IOException | ClientException e) {
            LOG.warn("no more commands: {}", e.getMessage());
        }
    }

    private void accept(byte[] line, OutputStream answers) throws IOException {
        long id;
        String name;
        ObjectNode arguments;
        try {
            JsonNode command = Json.MAPPER.readTree(line);
            if (!(command instanceof ObjectNode object)
                    || !command.path(Json.ID).isIntegralNumber()
                    || !command.path(Json.COMMAND).isTextual()) {
                throw new IllegalArgumentException("expected an object with a number \"id\" and a text \"command\"");
            }
            id = object.remove(Json.ID).longValue();
            name = object.remove(Json.COMMAND).textValue();
            arguments = object;
        } catch (JsonProcessingException | IllegalArgumentException e) {
            answer(answers, -1, Json.ERROR, "not a command: " + e.getMessage());
            return;
        }
        Running command = new Running();
        running.put(id, command);
        try {
            threads.execute(() -> {
                command.begin();
                try {
                    carryOut(id, name, arguments, answers);
                } finally {
                    running.remove(id);
                    command.end();
                }
            });
        } catch (RejectedExecutionException e) {
            running.remove(id);
            answer(answers, id, Json.ERROR, MOST_AT_A_TIME + " commands are under way, no more at a time");
        }
    }

    private void carryOut(long id, String name, ObjectNode arguments, OutputStream answers) {
        try {
            Registered<?> command = commands.get(name);
            if (command == null) {
                throw new IllegalArgumentException("unknown command; the commands are " + commands.keySet());
            }
            answer(answers, id, Json.RESULT, command.run(arguments));
        } catch (Throwable e) {
            if (e instanceof RuntimeException || e instanceof Error) {
                LOG.warn("{} failed", name, e);
            }
            String message = e.getMessage();
            try {
                answer(answers, id, Json.ERROR, message == null ? e.getClass().getSimpleName() : message);
            } catch (IOException lost) {
                // The parent has ended; the end of the input follows and ends this process.
                LOG.warn("no answer to {}: {}", name, lost.getMessage());
            }
        }
    }

    /** A command in progress or about to begin. One that is interrupted before it begins starts interrupted. */
    private static final class Running {

        private @Nullable Thread thread;
        private boolean isInterrupted;

        synchronized void begin() {
            thread = Thread.currentThread();
            if (isInterrupted) {
                thread.interrupt();
            }
        }

        synchronized void interrupt() {
            isInterrupted = true;
            if (thread != null) {
                thread.interrupt();
            }
        }

        synchronized void end() {
            thread = null;
        }
    }

    private static void answer(OutputStream answers, long id, String field, @Nullable Object value) throws IOException {
        ObjectNode answer = Json.MAPPER.createObjectNode().put(Json.ID, id);
        answer.set(field, Json.MAPPER.valueToTree(value));
        byte[] bytes = Json.MAPPER.writeValueAsBytes(answer);
        byte[] line = new byte[bytes.length + 1];
        System.arraycopy(bytes, 0, line, 0, bytes.length);
        line[bytes.length] = '\n';
        synchronized (answers) {
            answers.write(line);
            answers.flush();
        }
    }
}
