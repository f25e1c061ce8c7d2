package io.dht4j.security;

import io.dht4j.PrintableText;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The parsed content of files, kept current by a daemon thread that reads them twice a second. Contents are used once
 * two consecutive reads have returned them, so that partial writes and successive replacements of files can complete.
 * Invalid contents leave the last valid ones in use and cause one warning. Contents that may become valid later are
 * tried again.
 *
 * <p>The thread compares contents instead of sizes and times, which may be unchanged after a change; the files are
 * small.
 */
final class Watched<T> implements AutoCloseable {

    static final long LOOK_EVERY_MILLIS = 500;

    /** Valid contents that may not be used now, but possibly later. They are tried again with each read. */
    static final class NotNowException extends IllegalArgumentException {

        private static final long serialVersionUID = 1L;

        NotNowException(String message) {
            super(message);
        }
    }

    /** A parser of contents; throws IllegalArgumentException with a message without secrets if they are invalid. */
    interface Meaning<T> {
        T of(Contents contents, @Nullable T before);
    }

    private final Map<Path, String> files;
    private final Meaning<T> meaning;
    private final Consumer<String> warnings;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile T current;

    /** The digest last accepted or refused, and that of the last read. Guarded by this. */
    private byte[] settled;

    private byte[] seen;

    /** Whether the contents last refused may become valid. Guarded by this. */
    private boolean postponed;

    private Watched(Map<Path, String> files, Meaning<T> meaning, Consumer<String> warnings) {
        this.files = files;
        this.meaning = meaning;
        this.warnings = warnings;
        Contents contents = Contents.read(files);
        current = meaning.of(contents, null);
        settled = contents.digest();
        seen = settled;
    }

    /**
     * Reads the files, given with their roles, and watches them until closed. Throws IllegalArgumentException if they
     * are invalid.
     */
    static <T> Watched<T> start(
            String thread,
            Map<Path, String> files,
            Meaning<T> meaning,
            Consumer<String> warnings,
            long lookEveryMillis) {
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
                    // A failure of the user's consumer of warnings does not stop the thread.
                    Thread self = Thread.currentThread();
                    self.getUncaughtExceptionHandler().uncaughtException(self, e);
                }
            }
        } catch (InterruptedException e) {
            // The thread is private: an interrupt ends it.
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
                files.keySet().stream().map(Path::toString).collect(Collectors.joining(", ")) + ": read again"));
    }

    /**
     * Returns whether this read confirms new contents: the same as the previous read, and others than the settled ones.
     */
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
