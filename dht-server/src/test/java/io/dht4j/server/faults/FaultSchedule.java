package io.dht4j.server.faults;

import io.dht4j.server.faults.FaultyLink.Weather;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/** What goes wrong, in which order, and for how long: decided by a seed alone. Every six rounds hold each fault. */
final class FaultSchedule {

    private static final int SHORTEST_MILLIS = 100;
    private static final int LONGEST_MILLIS = 800;
    /** Longer than the timeouts of calls, of the cluster's and of the clients'. */
    private static final int STOPPED_MILLIS = 3_000;

    private static final int LONGEST_CUT_MILLIS = 2_500;

    /** What is done to nodes. */
    enum Kind {
        /** {@code kill -9} of one. */
        KILL,
        /** {@code kill -9} of all, one right after the other. */
        KILL_ALL,
        /** SIGSTOP, and SIGCONT. */
        STOP,
        /** No byte passes between one and the others. */
        CUT,
        /** No byte passes from one to the others, or from the others to it. */
        CUT_ONE_WAY,
        /** The wall clock of one is set. */
        CLOCK
    }

    /** By how much a clock is set, in seconds: within what others take, a little beyond, and far beyond. */
    private static final int[] CLOCKS = {-36_000, -600, -70, -30, 5, 50, 70, 600, 36_000};

    /**
     * A round.
     *
     * @param kind what is done
     * @param node to which node, from 0
     * @param weather how links are meanwhile
     * @param before how long after the last fault
     * @param lasting how long the fault lasts, at least
     * @param inward for a cut in one direction, whether what goes to the node is held
     * @param reset whether connections are reset when a cut ends; what was held arrives otherwise
     * @param ahead by how many seconds a clock that is set is ahead
     */
    record Round(
            Kind kind, int node, Weather weather, int before, int lasting, boolean inward, boolean reset, int ahead) {}

    private FaultSchedule() {}

    static List<Round> of(SplittableRandom random, int rounds) {
        List<Round> schedule = new ArrayList<>();
        Random shuffling = new Random(random.nextLong());
        while (schedule.size() < rounds) {
            List<Round> next = new ArrayList<>();
            for (Kind kind : Kind.values()) {
                next.add(round(kind, random.nextInt(RealCluster.NODES), random));
            }
            Collections.shuffle(next, shuffling);
            schedule.addAll(next);
        }
        // Any order of these is as good as another, so that the first ones have each weather, too.
        Weather[] weathers = Weather.values();
        int first = random.nextInt(weathers.length);
        List<Round> result = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            Round round = schedule.get(i);
            result.add(new Round(
                    round.kind(),
                    round.node(),
                    weathers[(first + i) % weathers.length],
                    round.before(),
                    round.lasting(),
                    round.inward(),
                    round.reset(),
                    round.ahead()));
        }
        return result;
    }

    private static Round round(Kind kind, int node, SplittableRandom random) {
        int lasting = switch (kind) {
            case STOP -> STOPPED_MILLIS;
            case CUT, CUT_ONE_WAY, CLOCK -> random.nextInt(SHORTEST_MILLIS, LONGEST_CUT_MILLIS);
            case KILL, KILL_ALL -> random.nextInt(0, LONGEST_MILLIS);
        };
        return new Round(
                kind,
                node,
                Weather.CALM,
                random.nextInt(SHORTEST_MILLIS, LONGEST_MILLIS),
                lasting,
                random.nextBoolean(),
                random.nextBoolean(),
                CLOCKS[random.nextInt(CLOCKS.length)]);
    }
}
