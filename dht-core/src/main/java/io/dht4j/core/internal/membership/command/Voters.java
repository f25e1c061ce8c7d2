package io.dht4j.core.internal.membership.command;

import io.dht4j.core.internal.membership.state.MemberList;
import java.util.List;

/** Checks lists of voters. */
final class Voters {

    private Voters() {}

    /** Returns whether a list has a permitted size, and ascending numbers from 1 to a maximum. */
    static boolean areOrdered(List<Integer> numbers, int most) {
        int before = 0;
        for (int number : numbers) {
            if (number <= before || number > most) {
                return false;
            }
            before = number;
        }
        return before > 0 && numbers.size() <= MemberList.MAX_VOTERS;
    }
}
