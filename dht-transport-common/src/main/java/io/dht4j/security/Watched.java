package io.dht4j.security;

import io.dht4j.PrintableText;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What files mean, kept up to date by a daemon thread that reads them twice a second. Contents count once two looks in
 * sequence found the same: files that are being written, or that are replaced one after the other, are left to settle.
 * What makes no sense leaves the last good meaning in use and is told once. What must not be used yet is tried again.
 *
 * <p>Contents are compared, not sizes and times: those may stay the same when a file changes, and the files are small.
 */
final class Watched<T> implements AutoCloseable {

    static final long LOOK_EVERY_MILLIS = 500;

    /**
     * Contents that make sense and must not be used now. Time may mend that, so they are tried again with each look.
     */
    static final class NotNowException extends IllegalArgumentException {

        private static final long serialVersionUID = 1L;

        NotNowException(String message) {
            super(message);
        }
    }

    /** Makes sense of contents; throws IllegalArgumentException, whose message holds no secret, if they make none. */
    interface Meaning<T> {
        T of(Contents contents, @Nullable T before);
    }

    private final List<Path> files;
    private final Meaning<T> meaning;
    private final Consumer<String> warnings;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile T current;

    /** What was last taken or refused, and what the last look found. Guarded by this. */
    private byte[] settled;

    private byte[] seen;

    /** Whether what was last refused may be good later. Guarded by this. */
    private boolean postponed;

    private Watched(List<Path> files, Meaning<T> meaning, Consumer<String> warnings) {
        this.files = files;
        this.meaning = meaning;
        this.warnings = warnings;
        Contents contents = Contents.read(files);
        current = meaning.of(contents, null);
        settled = contents.digest();
        seen = settled;
    }

    /** Reads the files, and watches them until closed. Throws IllegalArgumentException if they make no sense. */
    static <T> Watched<T> start(
            String thread, List<Path> files, Meaning<T> meaning, Consumer<String> warnings, long lookEveryMillis) {
        Watched<T> watched = new Watched<>(files, meaning, warnings);
        Thread watcher = new Thread(() -> watched.watch(lookEveryMillis), thread);
        watcher.setDaemon(true);
        watcher.start();
        return watched;
    }

    T current() {
        return current;
    }

    @Override
    public void close() {
        closed.countDown();
    }

    private void watch(long lookEveryMillis) {
        try {
            while (!closed.await(lookEveryMillis, TimeUnit.MILLISECONDS)) {
                try {
                    look();
                } catch (RuntimeException e) {
                    // The user's consumer of warnings failed. That is no reason to watch no longer.
                    Thread self = Thread.currentThread();
                    self.getUncaughtExceptionHandler().uncaughtException(self, e);
                }
            }
        } catch (InterruptedException e) {
            // Nobody else knows this thread: whoever interrupts it ends it.
            Thread.currentThread().interrupt();
        }
    }

    synchronized void look() {
        Contents contents;
        try {
            contents = Contents.read(files);
        } catch (IllegalArgumentException e) {
            String why = String.valueOf(e.getMessage());
            if (settles(why.getBytes(StandardCharsets.UTF_8))) {
                keep(why);
            }
            return;
        }
        boolean again = postponed && Arrays.equals(contents.digest(), settled);
        boolean news = settles(contents.digest());
        if (!news && !again) {
            return;
        }
        try {
            current = meaning.of(contents, current);
            postponed = false;
        } catch (IllegalArgumentException e) {
            postponed = e instanceof NotNowException;
            if (news) {
                keep(String.valueOf(e.getMessage()));
            }
            return;
        }
        warnings.accept(PrintableText.of(
                files.stream().map(Path::toString).collect(Collectors.joining(", ")) + ": read again"));
    }

    /** Whether this look found what the last one found, and that is news. */
    private boolean settles(byte[] found) {
        boolean still = Arrays.equals(found, seen);
        seen = found;
        if (!still || Arrays.equals(found, settled)) {
            return false;
        }
        settled = found;
        postponed = false;
        return true;
    }

    private void keep(String why) {
        warnings.accept(PrintableText.of(why + "; what was read before stays in use"));
    }
}
