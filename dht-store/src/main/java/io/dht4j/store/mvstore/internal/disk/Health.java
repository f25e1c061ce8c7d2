package io.dht4j.store.mvstore.internal.disk;

import io.dht4j.StoreProblem;
import io.dht4j.spi.StoreException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks whether a store accepts writes, and the damage found in it. A transient failure, such as a full disk, ends
 * when the store has proved that it can write again. Any other failure lasts until the store is opened again, which
 * determines the content of the disk. Safe for use by any number of threads.
 */
public final class Health {

    private static final Logger LOG = LoggerFactory.getLogger(Health.class);

    /** Gets the entries back from the other replicas. Which of the two it is, a store does not know. */
    static final String REFILL =
            "start the node after Rebuild.begin, which puts the directory's files aside and gets the entries back "
                    + "from the other replicas, or, in a cluster of Membership.bootstrap, call membership().replace for"
                    + " this node and start it with an empty directory and Membership.join";

    /** The remedy for a damaged file. */
    private static final String REBUILD =
            REFILL + "; or restore the directory from a backup (docs/guide/rebuild-a-node.md)";

    /** The message of a failed fsync where there was no memory for the file's name. */
    public static final String UNFORCED = "a file could not be forced to the disk";

    private static final Pattern VERSION_AND_CODE = Pattern.compile(" \\[\\d+\\.\\d+\\.\\d+/\\d+]$");

    private final AtomicReference<@Nullable Failure> failure = new AtomicReference<>();
    private final AtomicReference<@Nullable StoreProblem> damage = new AtomicReference<>();
    private final Path directory;
    private final Fsync fsync;

    /** The reason why the store refuses writes. */
    private record Failure(StoreException error, boolean isTransient, Instant since) {}

    /**
     * Creates the health of a store that takes writes.
     *
     * @param directory the store's
     * @param fsync after whose failure the store refuses writes, even if there was no memory to call {@link #fail}
     */
    public Health(Path directory, Fsync fsync) {
        this.directory = directory;
        this.fsync = fsync;
    }

    /**
     * Returns an exception about damage that cannot be repaired within the directory.
     *
     * @param what the rest of a sentence that begins with the file
     */
    public static StoreException damaged(Path file, String what) {
        return new StoreException(file + " " + what + "; " + REBUILD);
    }

    /** As {@link #damaged(Path, String)}, with a cause. */
    public static StoreException damaged(Path file, String what, Throwable cause) {
        return new StoreException(file + " " + what + "; " + REBUILD, cause);
    }

    /** Returns why MVStore has failed, without its version and error code at the end. */
    public static String reason(Throwable failure) {
        String message = failure.getMessage();
        return message == null
                ? failure.toString()
                : VERSION_AND_CODE.matcher(message).replaceFirst("");
    }

    /** Returns the failure of the disk that caused an error; null if the cause is another, such as a short file. */
    public static @Nullable IOException ioFailure(Throwable error) {
        for (@Nullable Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof IOException io && !(cause instanceof EOFException)) {
                return io;
            }
        }
        return null;
    }

    /** Returns the failure of the process that caused an error, a lack of memory mostly; null if there is none. */
    public static @Nullable Error errorIn(Throwable thrown) {
        for (@Nullable Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof Error error) {
                return error;
            }
        }
        return null;
    }

    /** Refuses writes until the store is opened again. */
    public void fail(StoreException error) {
        Failure now = new Failure(error, false, Instant.ofEpochMilli(System.currentTimeMillis()));
        Failure before = failure.getAndUpdate(known -> known == null || known.isTransient() ? now : known);
        if (before == null || before.isTransient()) {
            LOG.error("store {} refuses writes until it is opened again: {}", directory, error.getMessage());
        }
    }

    /** Refuses writes until {@link #recovered}. */
    public void failTransiently(StoreException error) {
        if (failure.compareAndSet(null, new Failure(error, true, Instant.ofEpochMilli(System.currentTimeMillis())))) {
            LOG.error("store {} refuses writes until the disk recovers: {}", directory, error.getMessage());
        }
    }

    /** Ends a transient failure. */
    public void recovered() {
        Failure before = failure.getAndUpdate(known -> known != null && known.isTransient() ? null : known);
        if (before != null && before.isTransient()) {
            LOG.warn("store {} takes writes again", directory);
        }
    }

    /** Records damage. {@link #problems} shows the first one. */
    public void damageFound(StoreException error) {
        StoreProblem problem = new StoreProblem(
                StoreProblem.Kind.DAMAGED_DATA,
                Instant.ofEpochMilli(System.currentTimeMillis()),
                String.valueOf(error.getMessage()));
        if (damage.compareAndSet(null, problem)) {
            LOG.error("store {} is damaged: {}", directory, error.getMessage());
        }
    }

    /** Returns whether the store refuses writes. */
    public boolean isFailed() {
        return failure.get() != null || fsync.hasFailed();
    }

    /** Returns whether the store refuses writes because of a transient failure. */
    public boolean isTransient() {
        Failure known = failure.get();
        return known != null && known.isTransient() && !fsync.hasFailed();
    }

    private @Nullable Failure known() {
        Failure known = failure.get();
        return fsync.hasFailed() && (known == null || known.isTransient())
                ? new Failure(
                        new StoreException(UNFORCED
                                + (fsync.hasFailedForMap()
                                        ? "; " + REBUILD
                                        : "; see that the disk is in order, then start again")),
                        false,
                        fsync.since())
                : known;
    }

    /** Throws if the store refuses writes. */
    public void checkWritable() {
        Failure known = known();
        if (known != null) {
            throw new StoreException("store " + directory + " refuses writes: " + message(known), known.error());
        }
    }

    private static String message(Failure failure) {
        return failure.error().getMessage()
                + (failure.isTransient()
                        ? "; it goes on by itself when it can write again"
                        : "; it takes no writes until it is opened again");
    }

    /** Returns the failure and the damage, if any. */
    public List<StoreProblem> problems() {
        List<StoreProblem> problems = new ArrayList<>();
        Failure known = known();
        if (known != null) {
            problems.add(new StoreProblem(StoreProblem.Kind.WRITES_REFUSED, known.since(), message(known)));
        }
        StoreProblem found = damage.get();
        if (found != null) {
            problems.add(found);
        }
        return problems;
    }
}
