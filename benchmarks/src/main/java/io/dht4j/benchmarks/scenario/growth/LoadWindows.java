package io.dht4j.benchmarks.scenario.growth;

import io.dht4j.lab.internal.load.LoadDriver;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Offers one load window after window, without a break. A window belongs to the phase in which it began, if that lasts
 * to its end. Used by one thread beside its own.
 */
final class LoadWindows implements AutoCloseable {

    private final LoadDriver driver;
    private final LoadSpec window;
    private final Thread thread = new Thread(this::run, "load windows");

    // Guarded by this.
    private Phase phase = Phase.BEFORE;
    private Optional<Phase> begun = Optional.empty();
    private final Map<Phase, List<LoadResult>> whole = new EnumMap<>(Phase.class);
    private final List<LoadResult> all = new ArrayList<>();
    private @Nullable Exception failure;
    private boolean stopped;

    private LoadWindows(LoadDriver driver, LoadSpec window) {
        this.driver = driver;
        this.window = window;
    }

    /**
     * Begins the first window, of the phase {@link Phase#BEFORE}.
     *
     * @param driver runs each window
     * @param window the load of one; each gets a seed of its own
     */
    static LoadWindows start(LoadDriver driver, LoadSpec window) {
        LoadWindows windows = new LoadWindows(driver, window);
        windows.thread.setDaemon(true);
        windows.thread.start();
        return windows;
    }

    private void run() {
        try {
            for (long i = 0; ; i++) {
                Phase first;
                synchronized (this) {
                    if (stopped) {
                        return;
                    }
                    first = phase;
                    begun = Optional.of(first);
                    notifyAll();
                }
                LoadResult result = driver.run(window.withSeed(window.seed() + i));
                synchronized (this) {
                    all.add(result);
                    if (first == phase) {
                        whole.computeIfAbsent(first, none -> new ArrayList<>()).add(result);
                    }
                    notifyAll();
                }
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            synchronized (this) {
                failure = e;
                notifyAll();
            }
        }
    }

    /**
     * Begins a phase. Returns when the first window that may belong to it has begun.
     *
     * @throws IOException if the load has failed
     * @throws InterruptedException if the thread is interrupted
     */
    synchronized void begin(Phase next) throws IOException, InterruptedException {
        phase = next;
        while (begun.filter(next::equals).isEmpty()) {
            requireRunning();
            wait();
        }
    }

    /**
     * Waits for windows of the present phase.
     *
     * @param count number of whole windows
     * @throws IOException if the load has failed
     * @throws InterruptedException if the thread is interrupted
     */
    synchronized void await(int count) throws IOException, InterruptedException {
        while (of(phase).size() < count) {
            requireRunning();
            wait();
        }
    }

    /**
     * Checks that the load runs.
     *
     * @throws IOException if it has failed
     */
    synchronized void requireRunning() throws IOException {
        if (failure != null) {
            throw new IOException("the load ended early: " + failure.getMessage(), failure);
        }
    }

    /** Returns the present phase. */
    synchronized Phase phase() {
        return phase;
    }

    /** Returns the windows that belong to a phase. */
    synchronized List<LoadResult> of(Phase some) {
        return List.copyOf(whole.getOrDefault(some, List.of()));
    }

    /** Returns all windows, also those of several phases. */
    synchronized List<LoadResult> all() {
        return List.copyOf(all);
    }

    /**
     * Waits for the end of the window that runs, so that its failures count, and begins no other.
     *
     * @throws IOException if the load has failed
     * @throws InterruptedException if the thread is interrupted
     */
    void finish() throws IOException, InterruptedException {
        synchronized (this) {
            stopped = true;
        }
        thread.join();
        requireRunning();
    }

    /** Stops the load, also within a window. */
    @Override
    public void close() {
        synchronized (this) {
            stopped = true;
        }
        thread.interrupt();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
