package io.dht4j.store.mvstore;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another process, from the same class path. */
final class ChildJvm implements AutoCloseable {

    private final Process process;
    private final BufferedReader output;

    private ChildJvm(Process process) {
        this.process = process;
        this.output = process.inputReader();
    }

    static ChildJvm start(Class<?> main, String... arguments) throws IOException {
        return startWithHeap("256m", main, arguments);
    }

    static ChildJvm startWithHeap(String heap, Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heap,
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        return new ChildJvm(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** The next line that the process prints; null when it has ended. */
    String readLine() throws IOException {
        return output.readLine();
    }

    /** Kills it as {@code kill -9} does, and waits until it is gone. */
    void kill() {
        // Not by the process itself: that would close the stream that still holds what it printed.
        process.toHandle().destroyForcibly();
        process.onExit().join();
    }

    @Override
    public void close() throws IOException {
        kill();
        output.close();
    }
}
