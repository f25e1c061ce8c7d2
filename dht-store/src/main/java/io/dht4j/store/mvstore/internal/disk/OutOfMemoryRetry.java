package io.dht4j.store.mvstore.internal.disk;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Repeats an action that must succeed while there is no memory for it, which mostly passes within seconds. */
public final class OutOfMemoryRetry {

    private static final int ATTEMPTS = 30;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private OutOfMemoryRetry() {}

    /**
     * Runs an action, and repeats it after an {@link Error}, {@value #ATTEMPTS} times at most, within about three
     * seconds. Parks between the attempts, because a lock's condition needs memory. Blocks; ignores interrupts.
     *
     * @param action what to run
     * @return whether the action has returned
     */
    public static boolean run(Runnable action) {
        return run(action, () -> false);
    }

    /**
     * Works as {@link #run(Runnable)}, until the action is no longer needed.
     *
     * @param action what to run
     * @param isInVain whether the action is no longer needed; called after a failed attempt
     * @return whether the action has returned
     */
    public static boolean run(Runnable action, BooleanSupplier isInVain) {
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
