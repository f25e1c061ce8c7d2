package io.dht4j.core.internal.membership.plan;

/**
 * The order in which each partition prefers members. It decides which slots a member takes, not how many. Pure: the
 * same arguments give the same answers. Does not block.
 */
public interface PreferenceOrder {

    /**
     * Returns how many members are ordered for each partition.
     *
     * @return 0 or more; members without a rank are preferred less than those with one, and equally among each other
     */
    int depth();

    /**
     * Returns a member.
     *
     * @param partition the partition
     * @param rank 0 for the most preferred member, to {@code depth() - 1}
     * @return the member's number; a member that takes no slots is skipped
     */
    int member(int partition, int rank);
}
