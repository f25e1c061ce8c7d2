package io.dht4j.store.mvstore;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Does what must be done although there is no memory for it at the moment: mostly that passes within seconds. */
final class MemoryWait {

    private static final int ATTEMPTS = 30;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private MemoryWait() {}

    /**
     * Runs an action, and again after an {@link Error}, a lack of memory mostly, {@value #ATTEMPTS} times at most,
     * within some three seconds. Waits without a lock's condition, which takes memory. Blocks; not ended by interrupts.
     *
     * @return whether the action has come to its end
     */
    static boolean run(Runnable action) {
        return run(action, () -> false);
    }

    /**
     * As {@link #run(Runnable)}.
     *
     * @param isInVain whether nobody needs the action any more, after an attempt that failed
     */
    static boolean run(Runnable action, BooleanSupplier isInVain) {
        for (int i = 0; i < ATTEMPTS; i++) {
            try {
                action.run();
                return true;
            } catch (Error e) {
                if (isInVain.getAsBoolean()) {
                    return false;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
        return false;
    }
}
