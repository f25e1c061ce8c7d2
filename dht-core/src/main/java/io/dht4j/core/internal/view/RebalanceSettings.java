package io.dht4j.core.internal.view;

/**
 * The rate at which slots move.
 *
 * @param bytesPerSecond the maximum rate of a member's sent or received bytes for moves, {@link #MIN_RATE} to
 *     {@link #MAX_RATE}
 * @param paused whether no batch may begin, and running ones are suspended
 */
public record RebalanceSettings(long bytesPerSecond, boolean paused) {

    /** The lowest rate: 64 KiB a second. */
    public static final long MIN_RATE = 64L << 10;

    /** The highest rate: 1 TiB a second. */
    public static final long MAX_RATE = 1L << 40;

    /** The settings of a new cluster: 16 MiB a second, not paused. */
    public static final RebalanceSettings DEFAULT = new RebalanceSettings(16L << 20, false);

    /**
     * Checks the rate.
     *
     * @throws IllegalArgumentException if it is out of range
     */
    public RebalanceSettings {
        if (bytesPerSecond < MIN_RATE || bytesPerSecond > MAX_RATE) {
            throw new IllegalArgumentException("the rate of moves must be " + MIN_RATE + " to " + MAX_RATE
                    + " bytes a second, not " + bytesPerSecond);
        }
    }
}
