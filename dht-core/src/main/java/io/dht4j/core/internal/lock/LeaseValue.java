package io.dht4j.core.internal.lock;

import io.dht4j.DhtLock;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The value of the key of a lock that is held.
 *
 * @param lease how long it is held without being renewed
 * @param holder a name that no other holder has
 */
record LeaseValue(Duration lease, String holder) {

    private static final Pattern FORMAT = Pattern.compile("([0-9]{1,9}) (.+)");

    /** The rates of the clocks of two processes may differ by twice this part. */
    private static final long DRIFT = 50;

    /** Reads a value; empty if it is not one of a lock. */
    static Optional<LeaseValue> parse(String text) {
        Matcher matcher = FORMAT.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        Duration lease = Duration.ofMillis(Long.parseLong(matcher.group(1)));
        return lease.compareTo(DhtLock.MIN_LEASE) < 0 || lease.compareTo(DhtLock.MAX_LEASE) > 0
                ? Optional.empty()
                : Optional.of(new LeaseValue(lease, matcher.group(2)));
    }

    String format() {
        return lease.toMillis() + " " + holder;
    }

    /** Returns how long the holder may go on, from before it asked. */
    long nanosOfHolder() {
        return lease.toNanos() - lease.toNanos() / DRIFT;
    }

    /** Returns how long others wait, from when they have seen the lease. */
    long nanosOfOthers() {
        return lease.toNanos() + lease.toNanos() / DRIFT;
    }
}
