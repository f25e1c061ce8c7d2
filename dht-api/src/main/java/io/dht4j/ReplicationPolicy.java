package io.dht4j;

/**
 * How many replicas must answer: {@code ack} of the first {@code from} replicas of the key. No replica after the first
 * {@code from} ever stores a value that was written with this policy. Two policies over the same {@code from} whose
 * {@code ack} add up to more than {@code from} overlap: the read sees the write.
 *
 * @param ack how many must answer, 1 to {@code from}
 * @param from how many are asked, 1 to the number of nodes
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
                    ErrorCode.POLICY_INVALID, "a policy needs 1 <= ack <= from, not ack=" + ack + ", from=" + from);
        }
    }

    /**
     * A majority of the first {@code from} replicas.
     *
     * @param from how many replicas, at least 1
     * @return the policy {@code (from / 2 + 1) / from}
     * @throws InvalidRequestException if {@code from} is less than 1
     */
    public static ReplicationPolicy majorityOf(int from) {
        return new ReplicationPolicy(from / 2 + 1, from);
    }

    /** {@code ack/from}, as in {@code 2/3}. */
    @Override
    public String toString() {
        return ack + "/" + from;
    }
}
