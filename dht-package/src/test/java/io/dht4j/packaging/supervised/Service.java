package io.dht4j.packaging.supervised;

import io.dht4j.packaging.Installation;
import io.dht4j.packaging.Installation.Started;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A server that is started again when it fails, as its unit says. Safe for use by any number of threads. */
final class Service implements AutoCloseable {

    private final Installation installation;
    private final Unit unit;
    private final Map<String, String> environment;
    private final ScheduledExecutorService supervisor;
    // Guarded by this.
    private Started running;
    private int starts;
    private boolean closed;

    /**
     * Starts it.
     *
     * @param installation whose server it is
     * @param unit the unit
     * @param file the variables of the file {@code server.env}, which win
     * @param supervisor restarts the server
     */
    Service(Installation installation, Unit unit, Map<String, String> file, ScheduledExecutorService supervisor)
            throws IOException {
        if (!unit.command().equals(List.of("dht", "server"))) {
            throw new IllegalStateException("ExecStart is " + unit.command());
        }
        this.installation = installation;
        this.unit = unit;
        this.environment = new HashMap<>(unit.environment());
        environment.putAll(file);
        this.supervisor = supervisor;
        running = start();
    }

    private synchronized Started start() throws IOException {
        starts++;
        Started started = installation.server(environment);
        started.process().onExit().thenAccept(this::ended);
        return started;
    }

    private synchronized void ended(Process process) {
        if (!closed && !unit.noRestart().contains(process.exitValue())) {
            supervisor.schedule(
                    () -> {
                        startAgain();
                        return null;
                    },
                    unit.restartPause().toMillis(),
                    TimeUnit.MILLISECONDS);
        }
    }

    private synchronized void startAgain() throws IOException {
        if (!closed) {
            running = start();
        }
    }

    /** The process that runs, or has run last. */
    synchronized Started process() {
        return running;
    }

    /** How often it was started. */
    synchronized int starts() {
        return starts;
    }

    /** Sends SIGTERM, as the service manager does to stop it, and returns the exit code. */
    int stop() throws Exception {
        Started last;
        synchronized (this) {
            closed = true;
            last = running;
        }
        last.process().destroy();
        if (!last.process().waitFor(unit.stopPatience().toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("the service manager would kill the server: " + last.err());
        }
        return last.process().exitValue();
    }

    @Override
    public void close() {
        Started last;
        synchronized (this) {
            closed = true;
            last = running;
        }
        last.close();
    }
}
