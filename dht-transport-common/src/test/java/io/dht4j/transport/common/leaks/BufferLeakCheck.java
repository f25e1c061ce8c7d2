package io.dht4j.transport.common.leaks;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test class after which Netty reports a buffer that was not released. A module registers its subclass for all
 * tests, and starts their JVM with {@code leakDetection.level=paranoid}.
 *
 * <p>Netty reports leaks to its log, which is read here: no SLF4J binding but {@code slf4j-nop} may be on the class
 * path, so that Netty logs to {@code java.util.logging}. So one check serves every copy of Netty, shaded ones included.
 * Safe for use by any number of threads.
 */
public abstract class BufferLeakCheck implements AfterAllCallback {

    /** A leak is found once the buffer is collected, and reported when a later one is allocated. */
    private static final int ROUNDS = 2;

    private static final int BUFFERS_OF_A_ROUND = 200;

    private static final int COLLECTIONS = 30;
    private static final int COLLECTION_MILLIS = 1_000;

    /** Kept here, since the log manager holds loggers weakly. */
    private final Logger log;

    private final Queue<String> reports = new ConcurrentLinkedQueue<>();

    /**
     * Creates a check, which listens from now on.
     *
     * @param detector the name of Netty's class {@code ResourceLeakDetector}, which is that of its logger
     */
    protected BufferLeakCheck(String detector) {
        log = Logger.getLogger(detector);
        log.addHandler(new Handler() {

            @Override
            public void publish(LogRecord entry) {
                if (entry.getLevel().intValue() >= Level.SEVERE.intValue()) {
                    reports.add(entry.getMessage());
                }
            }

            @Override
            public void flush() {
                // There is no buffer.
            }

            @Override
            public void close() {
                // There is no open resource.
            }
        });
    }

    /** Allocates a pooled buffer of the copy of Netty that is watched, and releases it. */
    protected abstract void allocateAndRelease();

    /**
     * Returns whether leaks of a test class are ignored.
     *
     * @param test the test class
     * @return by default false
     */
    protected boolean ignores(Class<?> test) {
        return false;
    }

    /**
     * Collects the garbage and returns the leaks reported since the last call. Blocks for up to a minute.
     *
     * @return Netty's reports, one for each leak
     * @throws InterruptedException if the thread is interrupted
     */
    public final List<String> find() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            collectGarbage();
            for (int i = 0; i < BUFFERS_OF_A_ROUND; i++) {
                allocateAndRelease();
            }
        }
        List<String> found = new ArrayList<>();
        for (String report = reports.poll(); report != null; report = reports.poll()) {
            found.add(report);
        }
        return found;
    }

    /** Collects the present garbage, and waits until a thread of the JVM has processed its references. */
    private static void collectGarbage() throws InterruptedException {
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        WeakReference<Object> garbage = new WeakReference<>(new Object(), collected);
        try {
            for (int i = 0; i < COLLECTIONS; i++) {
                System.gc();
                if (collected.remove(COLLECTION_MILLIS) != null) {
                    return;
                }
            }
        } finally {
            Reference.reachabilityFence(garbage);
        }
        throw new IllegalStateException("no garbage in " + COLLECTIONS + " collections; is System.gc() disabled?");
    }

    @Override
    public final void afterAll(ExtensionContext context) throws InterruptedException {
        List<String> found = find();
        if (!ignores(context.getRequiredTestClass())) {
            assertThat(found).isEmpty();
        }
    }
}
