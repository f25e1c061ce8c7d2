package io.dht4j.store.mvstore;

import io.dht4j.StoreProblem;
import io.dht4j.spi.StoreException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether a store may be written, and what damage was found in it. A failure that may pass, as a full disk does, ends
 * when the store has proved that it can write again; after any other there is no way back but to open the store again,
 * which finds out what reached the disk. Safe for use by any number of threads.
 */
final class Health {

    private static final Logger LOG = LoggerFactory.getLogger(Health.class);

    /** What helps when a file is damaged. */
    private static final String REBUILD =
            "start the server with --rebuild, which puts the directory's files aside and gets the entries back "
                    + "from the other replicas, or"
                    + " restore the directory from a backup (docs/guide/rebuild-a-node.md)";

    /** What is said where there was no memory to say which file. */
    static final String UNFORCED = "a file could not be forced to the disk";

    private final AtomicReference<@Nullable Failure> failure = new AtomicReference<>();
    private final AtomicReference<@Nullable StoreProblem> damage = new AtomicReference<>();
    private final Path directory;
    private final Forcing forcing;

    /** Why nothing is written. */
    private record Failure(StoreException error, boolean mayPass, long sinceMillis) {}

    /**
     * All is well.
     *
     * @param forcing where that has failed, nothing is written, whether or not there was memory to {@link #fail}
     */
    Health(Path directory, Forcing forcing) {
        this.directory = directory;
        this.forcing = forcing;
    }

    /** An error about damage that nothing in this directory can repair. */
    static StoreException damaged(Path file, String what) {
        return new StoreException(file + ": " + what + "; " + REBUILD);
    }

    /** An error about damage that nothing in this directory can repair. */
    static StoreException damaged(Path file, String what, Throwable cause) {
        return new StoreException(file + ": " + what + "; " + REBUILD, cause);
    }

    /** What a disk did that led to an error; null if it is something else, a file that is too short for example. */
    static @Nullable IOException ioFailure(Throwable error) {
        for (@Nullable Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof IOException io && !(cause instanceof EOFException)) {
                return io;
            }
        }
        return null;
    }

    /**
     * What went wrong with the process or the program, and not with what is on the disk; null if it is something else.
     */
    static @Nullable Error errorIn(Throwable thrown) {
        for (@Nullable Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof Error error) {
                return error;
            }
        }
        return null;
    }

    /** Ends writing until the store is opened again. */
    void fail(StoreException error) {
        Failure now = new Failure(error, false, System.currentTimeMillis());
        Failure before = failure.getAndUpdate(known -> known == null || known.mayPass() ? now : known);
        if (before == null || before.mayPass()) {
            LOG.error("store {} takes no writes until it is opened again: {}", directory, error.getMessage());
        }
    }

    /** Ends writing until the store has proved that it can write. */
    void failForNow(StoreException error) {
        if (failure.compareAndSet(null, new Failure(error, true, System.currentTimeMillis()))) {
            LOG.error("store {} takes no writes until it can: {}", directory, error.getMessage());
        }
    }

    /** The cause of a failure has passed. */
    void mended() {
        Failure before = failure.getAndUpdate(known -> known != null && known.mayPass() ? null : known);
        if (before != null && before.mayPass()) {
            LOG.warn("store {} takes writes again", directory);
        }
    }

    /** Takes note of something that is not as it was written; the first one is shown. */
    void damageFound(StoreException error) {
        StoreProblem problem = new StoreProblem(
                StoreProblem.Kind.DAMAGED_DATA, System.currentTimeMillis(), String.valueOf(error.getMessage()));
        if (damage.compareAndSet(null, problem)) {
            LOG.error("store {} is damaged: {}", directory, error.getMessage());
        }
    }

    boolean isFailed() {
        return failure.get() != null || forcing.hasFailed();
    }

    /** Whether it has failed, and writing may become possible again. */
    boolean mayPass() {
        Failure known = failure.get();
        return known != null && known.mayPass() && !forcing.hasFailed();
    }

    private @Nullable Failure known() {
        Failure known = failure.get();
        return forcing.hasFailed() && (known == null || known.mayPass())
                ? new Failure(
                        new StoreException(UNFORCED
                                + (forcing.hasFailedForMap()
                                        ? "; " + REBUILD
                                        : "; see that the disk is in order, then start again")),
                        false,
                        forcing.sinceMillis())
                : known;
    }

    /** Throws if writing has ended. */
    void checkWritable() {
        Failure known = known();
        if (known != null) {
            throw new StoreException("store " + directory + " refuses writes: " + message(known), known.error());
        }
    }

    private static String message(Failure failure) {
        return failure.error().getMessage()
                + (failure.mayPass()
                        ? "; it goes on by itself when it can write again"
                        : "; it takes no writes until it is opened again");
    }

    List<StoreProblem> problems() {
        List<StoreProblem> problems = new ArrayList<>();
        Failure known = known();
        if (known != null) {
            problems.add(new StoreProblem(StoreProblem.Kind.WRITES_REFUSED, known.sinceMillis(), message(known)));
        }
        StoreProblem found = damage.get();
        if (found != null) {
            problems.add(found);
        }
        return problems;
    }
}
