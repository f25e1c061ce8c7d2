package io.dht4j;

/**
 * The number of replicas that must answer: {@code ack} of the first {@code from} replicas of the key. Only the first
 * {@code from} replicas store a value written with this policy. Two policies with the same {@code from} overlap if the
 * sum of their {@code ack} exceeds {@code from}: the read then sees the write.
 *
 * @param ack how many must answer, 1 to {@code from}
 * @param from how many the coordinator asks, 1 to the number of nodes
 */
public record ReplicationPolicy(int ack, int from) {

    /**
     * Checks the range that does not depend on the cluster.
     *
     * @throws InvalidRequestException if not {@code 1 <= ack <= from}
     */
    public ReplicationPolicy {
        if (ack < 1 || ack > from) {
            throw new InvalidRequestException(
                    ErrorCode.POLICY_INVALID,
                    "a policy needs 1 <= ack <= from, not ack=" + ack + ", from=" + from,
                    true);
        }
    }

    /**
     * Returns the policy of a majority of the first {@code from} replicas.
     *
     * @param from how many replicas, at least 1
     * @return the policy {@code (from / 2 + 1) / from}
     * @throws InvalidRequestException if {@code from} is less than 1
     */
    public static ReplicationPolicy majorityOf(int from) {
        return new ReplicationPolicy(from / 2 + 1, from);
    }

    /** Returns {@code ack/from}, for example {@code 2/3}. */
    @Override
    public String toString() {
        return ack + "/" + from;
    }
}
