package io.dht4j.core.internal.membership.state;

import io.dht4j.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * All members that a cluster has ever had, by number, and the voters of the metadata group. Immutable. Searches are
 * linear: they serve commands and reports, not requests.
 *
 * @param all the member of number {@code n} at place {@code n - 1}
 * @param group the voters of the metadata group
 */
public record MemberList(List<Member> all, VoterGroup group) {

    /** The maximum number of members that a cluster may have during its life. */
    public static final int MAX_MEMBERS = 65_535;

    /** The maximum number of voters. */
    public static final int MAX_VOTERS = VoterGroup.MAX_VOTERS;

    /**
     * Checks and copies the members.
     *
     * @throws IllegalArgumentException if a member has another number than its place, there are too many, or a voter is
     *     no member that has joined
     */
    public MemberList {
        all = List.copyOf(all);
        if (all.size() > MAX_MEMBERS) {
            throw new IllegalArgumentException(
                    "a cluster has at most " + MAX_MEMBERS + " members during its life, not " + all.size());
        }
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).number() != i + 1) {
                throw new IllegalArgumentException(
                        "member " + (i + 1) + " has the number " + all.get(i).number());
            }
        }
        for (int voter : group.numbers()) {
            if (voter > all.size() || !all.get(voter - 1).lifecycle().mayOwn()) {
                throw new IllegalArgumentException(
                        "the voters " + group.numbers() + " must be members that have joined");
            }
        }
        for (int voter : group.first()) {
            if (voter > all.size() || all.get(voter - 1).incarnation().isEmpty()) {
                throw new IllegalArgumentException("the first voters " + group.first() + " must be known members");
            }
        }
    }

    /** Returns the numbers of the voters of the metadata group, ascending. */
    public List<Integer> voters() {
        return group.numbers();
    }

    /** Returns the number of members, removed ones included. */
    public int size() {
        return all.size();
    }

    /** Returns whether a member has a number. */
    public boolean has(int number) {
        return number >= 1 && number <= all.size();
    }

    /**
     * Returns a member.
     *
     * @throws IndexOutOfBoundsException if no member has this number
     */
    public Member get(int number) {
        return all.get(number - 1);
    }

    /**
     * Finds the member that has a name now: the latest one of that name that is not removed.
     *
     * @return empty if all of that name were removed, or none ever had it
     */
    public Optional<Member> named(NodeId name) {
        for (int i = all.size() - 1; i >= 0; i--) {
            Member member = all.get(i);
            if (member.name().equals(name) && member.lifecycle() != Lifecycle.REMOVED) {
                return Optional.of(member);
            }
        }
        return Optional.empty();
    }

    /** Finds the member with an incarnation, removed ones included. */
    public Optional<Member> incarnation(UUID incarnation) {
        return first(member -> member.is(incarnation));
    }

    /** Finds the present member with a peer address. */
    public Optional<Member> at(String address) {
        return first(member ->
                member.lifecycle().isPresent() && member.details().address().equals(address));
    }

    private Optional<Member> first(Predicate<Member> property) {
        return all.stream().filter(property).findFirst();
    }

    /** Returns the members that take slots, in the order of their numbers. */
    public Stream<Member> takers() {
        return all.stream().filter(member -> member.lifecycle().takesSlots());
    }
}
