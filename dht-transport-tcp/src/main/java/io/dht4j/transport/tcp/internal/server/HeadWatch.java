package io.dht4j.transport.tcp.internal.server;

/**
 * Detects callers that send the head of a record too slowly. A head that begins again with each packet, as on a busy
 * connection, is not slow. Moments are those of {@link System#nanoTime()}. For the loop's thread.
 */
final class HeadWatch {

    private final long patienceNanos;
    private boolean isWithinHead;
    private long since;
    private long recordsBefore;

    HeadWatch(long patienceNanos) {
        this.patienceNanos = patienceNanos;
    }

    /**
     * Bytes have come.
     *
     * @param withinHead whether they end within a head
     * @param records how many records have begun before it
     */
    void received(boolean withinHead, long records, long now) {
        if (withinHead && (!isWithinHead || records != recordsBefore)) {
            since = now;
            recordsBefore = records;
        }
        isWithinHead = withinHead;
    }

    /** Returns whether a head has been incomplete for too long. */
    boolean isSlow(long now) {
        return isWithinHead && now - since > patienceNanos;
    }
}
