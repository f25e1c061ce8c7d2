package io.dht4j;

import java.io.Serializable;
import java.util.Objects;
import java.util.UUID;

/**
 * The id of an operation on an atomic key: the same in all attempts at it, so that the operation is executed once. A
 * UUID of version 7 (RFC 9562): it begins with the time at which the operation begins, and is random otherwise.
 *
 * @param uuid a UUID of version 7
 */
public record RequestId(UUID uuid) implements Serializable {

    private static final long serialVersionUID = 1;

    private static final int VERSION = 7;
    private static final int VARIANT = 2;

    private static final int TIME_SHIFT = 16;
    private static final long MIDDLE_MASK = 0xFFF;
    private static final long VERSION_BITS = (long) VERSION << 12;
    private static final long VARIANT_BITS = 1L << 63;

    /**
     * Checks the version.
     *
     * @throws InvalidRequestException if the UUID is not one of version 7
     */
    public RequestId {
        Objects.requireNonNull(uuid, "uuid");
        if (uuid.version() != VERSION || uuid.variant() != VARIANT) {
            throw new InvalidRequestException(
                    ErrorCode.BAD_REQUEST,
                    "a request id must be a UUID of version 7, which begins with the time, not " + uuid,
                    true);
        }
    }

    /**
     * Returns a new id of this time.
     *
     * @return an id that no one else has
     */
    public static RequestId next() {
        UUID random = UUID.randomUUID();
        return of(System.currentTimeMillis(), random.getMostSignificantBits() >>> 52, random.getLeastSignificantBits());
    }

    /**
     * Returns an id.
     *
     * @param millis when the operation begins, in milliseconds since 1970, 0 to 2<sup>48</sup> - 1
     * @param middle its lower 12 bits are part of the id
     * @param low its lower 62 bits are part of the id
     * @return the id
     * @throws IllegalArgumentException if the time is out of its range
     */
    public static RequestId of(long millis, long middle, long low) {
        Ranges.require("millis", millis, 0, Version.MAX_MILLIS);
        return new RequestId(new UUID(
                millis << TIME_SHIFT | VERSION_BITS | (middle & MIDDLE_MASK), (low & ~(3L << 62)) | VARIANT_BITS));
    }

    /**
     * Parses an id.
     *
     * @param text as {@link #toString} shows it; capital letters are allowed
     * @return the id
     * @throws InvalidRequestException if it is anything else
     */
    public static RequestId parse(String text) {
        try {
            UUID uuid = UUID.fromString(text);
            if (uuid.toString().equalsIgnoreCase(text)) {
                return new RequestId(uuid);
            }
        } catch (IllegalArgumentException e) {
            // Falls through to the message, which shows the expected form.
        }
        throw new InvalidRequestException(
                ErrorCode.BAD_REQUEST,
                "a request id must be a UUID of version 7, such as " + of(1_800_000_000_000L, 0, 0) + ", not \"" + text
                        + "\"",
                true);
    }

    /**
     * Returns when the operation has begun, by the clock of its caller.
     *
     * @return milliseconds since 1970
     */
    public long millis() {
        return uuid.getMostSignificantBits() >>> TIME_SHIFT;
    }

    /** Returns the usual form of a UUID, in small letters. */
    @Override
    public String toString() {
        return uuid.toString();
    }
}
