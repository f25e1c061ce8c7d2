package io.dht4j.transport.tcp.internal.loop;

/** An alarm of one {@link EventLoop}, which may be set and go off any number of times. For the loop's thread. */
public final class LoopTimer implements Comparable<LoopTimer> {

    private final Runnable action;
    private long dueAt;
    private boolean isSet;

    public LoopTimer(Runnable action) {
        this.action = action;
    }

    /** Returns whether the timer is to ring at a moment of {@link System#nanoTime()}, or earlier. */
    boolean isSetBy(long moment) {
        return isSet && dueAt - moment <= 0;
    }

    boolean isSet() {
        return isSet;
    }

    long dueAt() {
        return dueAt;
    }

    void set(long moment) {
        isSet = true;
        dueAt = moment;
    }

    void unset() {
        isSet = false;
    }

    Runnable action() {
        return action;
    }

    @Override
    @SuppressWarnings("ComparableAndEquals")
    public int compareTo(LoopTimer other) {
        return Long.signum(dueAt - other.dueAt);
    }
}
