package io.dht4j.lab.internal.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.load.WarmUp.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Runs warm-ups in virtual time. */
class WarmUpTest {

    private static final double TURN_SECONDS = 5;

    private final List<String> ran = new ArrayList<>();
    private long nanos = Long.MAX_VALUE - 1_000_000_000;
    private double compiledSeconds;
    private boolean isUnknown;

    private Counters counters() {
        return new Counters(isUnknown ? Map.of() : Map.of(Cost.COMPILER_MICROS, Math.round(1e6 * compiledSeconds)));
    }

    private WarmUp<RuntimeException> warmUp(double mostSeconds) {
        return new WarmUp<>(mostSeconds, this::counters, () -> nanos);
    }

    /** A turn during which the compilers need half as much each time. */
    private Turn<RuntimeException> turn(String name, double firstShare) {
        return () -> {
            long earlier = ran.stream().filter(name::equals).count();
            ran.add(name);
            nanos += (long) (TURN_SECONDS * 1e9);
            compiledSeconds += TURN_SECONDS * firstShare / (1L << earlier);
            return TURN_SECONDS;
        };
    }

    @Test
    void endsWhenTheCompilersRest() throws Exception {
        WarmUp<RuntimeException> warmUp = warmUp(1000);

        // Half a processor, a quarter, an eighth, a sixteenth.
        warmUp.run(0, List.of(turn("put", 0.5)));

        assertThat(ran).hasSize(4);
        assertThat(warmUp.doubt("the nodes")).isEmpty();
    }

    @Test
    void lastsAtLeastForTheLeastTime() throws Exception {
        warmUp(1000).run(20, List.of(turn("put", 0), turn("get", 0)));

        assertThat(ran).containsExactly("put", "get", "put", "get");
    }

    @Test
    void endsAtItsBoundWithADoubt() throws Exception {
        WarmUp<RuntimeException> warmUp = warmUp(8);

        warmUp.run(0, List.of(turn("put", 1.6)));

        assertThat(ran).hasSize(2);
        assertThat(warmUp.doubt("the nodes"))
                .hasValue("after warming up for 10 s the compilers of the nodes were still at work, with 80 % of a "
                        + "processor together");
    }

    @Test
    void laterLoadIsWarmedUpOnceDespiteTheBound() throws Exception {
        WarmUp<RuntimeException> warmUp = warmUp(8);
        warmUp.run(0, List.of(turn("put", 1.6)));

        warmUp.run(0, List.of(turn("get", 0.05)));

        assertThat(ran).containsExactly("put", "put", "get");
        assertThat(warmUp.doubt("the nodes")).isEmpty();
    }

    @Test
    void theLeastTimeDecidesWhereTheCompilersAreUnknown() throws Exception {
        isUnknown = true;
        WarmUp<RuntimeException> warmUp = warmUp(1000);

        warmUp.run(12, List.of(turn("put", 1)));

        assertThat(ran).hasSize(3);
        assertThat(warmUp.doubt("the nodes")).isEmpty();
    }
}
