package io.dht4j.core.internal.membership.state;

import io.dht4j.core.internal.view.Epoch;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The voters of the metadata group, and the epochs at which they became voters. The group begins with the cluster, and
 * again with each generation. Immutable.
 *
 * @param numbers the numbers of the voters, ascending, 1 to {@value #MAX_VOTERS}
 * @param since the epoch at which each of them became a voter, in the same order
 * @param begun the epoch at which the group began
 * @param first the numbers of its first voters, ascending
 * @param wanted the number of voters once there are as many nodes: 3, 5 or 7
 */
public record VoterGroup(List<Integer> numbers, List<Long> since, long begun, List<Integer> first, int wanted) {

    /** The maximum number of voters. */
    public static final int MAX_VOTERS = 8;

    /** The number of voters of a new cluster that has as many nodes; a smaller one has a single voter. */
    public static final int USUAL_VOTERS = 3;

    /** The permitted numbers of wanted voters. */
    private static final Set<Integer> WANTED = Set.of(3, 5, 7);

    /**
     * Checks and copies the lists.
     *
     * @throws IllegalArgumentException if a list is empty, too long, or out of order, or an epoch is none of the
     *     group's
     */
    public VoterGroup {
        numbers = List.copyOf(numbers);
        since = List.copyOf(since);
        first = List.copyOf(first);
        requireOrder(numbers);
        requireOrder(first);
        if (!WANTED.contains(wanted)) {
            throw new IllegalArgumentException("a cluster has 3, 5 or 7 voters, not " + wanted);
        }
        if (!Epoch.isValid(begun) || since.size() != numbers.size()) {
            throw new IllegalArgumentException("voters " + numbers + " since " + since + " in a group that began at "
                    + Epoch.text(begun) + ": each has one epoch");
        }
        for (int i = 0; i < since.size(); i++) {
            boolean isFirst = since.get(i) == begun;
            if (since.get(i) < begun || (isFirst && !first.contains(numbers.get(i)))) {
                throw new IllegalArgumentException("voters " + numbers + " since " + since + " in a group of " + first
                        + " that began at " + Epoch.text(begun) + ": no epoch is before its begin, and those of its"
                        + " begin are of its first voters");
            }
        }
    }

    private static void requireOrder(List<Integer> numbers) {
        int before = 0;
        for (int number : numbers) {
            if (number <= before) {
                throw new IllegalArgumentException(
                        "the voters " + numbers + " must be numbers of members, ascending and without repetition");
            }
            before = number;
        }
        if (before == 0 || numbers.size() > MAX_VOTERS) {
            throw new IllegalArgumentException("a cluster has 1 to " + MAX_VOTERS + " voters, not " + numbers.size());
        }
    }

    /** Returns how many of some nodes vote when a group begins. */
    public static int votersAmong(int nodes) {
        return nodes < USUAL_VOTERS ? 1 : USUAL_VOTERS;
    }

    /** Returns the group that begins at an epoch. */
    public static VoterGroup beginning(long epoch, List<Integer> voters, int wanted) {
        return new VoterGroup(voters, voters.stream().map(voter -> epoch).toList(), epoch, voters, wanted);
    }

    /** Returns whether a number of wanted voters is permitted. */
    public static boolean mayWant(int voters) {
        return WANTED.contains(voters);
    }

    /** Returns the group with another wanted number of voters. */
    public VoterGroup wanting(int voters) {
        return new VoterGroup(numbers, since, begun, first, voters);
    }

    /** Returns the group with other voters from an epoch on. Those that stay have the same epoch as before. */
    public VoterGroup with(long epoch, List<Integer> voters) {
        List<Long> epochs = new ArrayList<>(voters.size());
        for (int voter : voters) {
            int place = numbers.indexOf(voter);
            epochs.add(place < 0 ? epoch : since.get(place));
        }
        return new VoterGroup(voters, epochs, begun, first, wanted);
    }
}
