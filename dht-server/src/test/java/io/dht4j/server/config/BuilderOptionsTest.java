package io.dht4j.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.options.Batching;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.core.options.Membership.Attributes;
import io.dht4j.core.options.NodeOptions;
import io.dht4j.core.options.Repair;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The server's options have the defaults and ranges of the builder's. */
class BuilderOptionsTest {

    /** The builder's options of calls, limits and times. */
    private static final class Options extends NodeOptions<Options> {
        Calls ofCalls() {
            return calls();
        }

        Limits ofLimits() {
            return limits();
        }

        Times ofTimes() {
            return times();
        }

        @Override
        protected Options self() {
            return this;
        }
    }

    @Test
    void absentSettingsAreTheDefaultsOfTheBuilder() throws ConfigException {
        Options builder = new Options();
        CallChoice server = CallChoice.of(new SettingsReader(Map.of()));
        assertThat(new NodeOptions.Calls(
                        server.ordering(), server.reads(), server.hedging(), server.cancellation(), server.timeout()))
                .isEqualTo(builder.ofCalls());
        assertThat(server.startPatience()).isEqualTo(builder.ofTimes().startPatience());
        assertThat(server.maxValueBytes()).isEqualTo(builder.ofLimits().maxValueBytes());
        assertThat(server.snapshotBytes()).isEqualTo(OptionalLong.empty());
        assertThat(server.batching()).isEqualTo(Batching.on());
        assertThat(server.handoff()).isEqualTo(HintedHandoff.on());
        assertThat(server.repair()).isEqualTo(Repair.on());
        assertThat(PlacementChoice.of(new SettingsReader(Map.of()), 1).partitions())
                .isEqualTo(ClusterBuilder.DEFAULT_PARTITIONS);
    }

    @ParameterizedTest
    @MethodSource
    void rangesAreThoseOfTheBuilder(Setting setting, LongConsumer option) {
        Setting.Range range = setting.range().orElseThrow();
        assertThatCode(() -> option.accept(range.min())).doesNotThrowAnyException();
        assertThatCode(() -> option.accept(range.max())).doesNotThrowAnyException();
        assertThatIllegalArgumentException().isThrownBy(() -> option.accept(range.min() - 1L));
        assertThatIllegalArgumentException().isThrownBy(() -> option.accept(range.max() + 1L));
    }

    static Stream<Arguments> rangesAreThoseOfTheBuilder() {
        Options builder = new Options();
        return Stream.of(
                of(Setting.TIMEOUT, millis -> builder.timeout(Duration.ofMillis(millis))),
                of(Setting.START_PATIENCE, millis -> builder.startPatience(Duration.ofMillis(millis))),
                of(Setting.SNAPSHOT_MIB, mib -> builder.snapshotBytes(mib << 20)),
                of(Setting.REPAIR_INTERVAL, seconds -> Repair.on().withInterval(Duration.ofSeconds(seconds))),
                of(Setting.REPAIR_RATE, kib -> Repair.on().withBytesPerSecond(kib << 10)),
                of(Setting.BATCH_FRAMES, frames -> new Batching(true, 1, 1024, (int) frames)),
                of(
                        Setting.PARTITIONS,
                        number -> ClusterBuilder.of(new NodeId("n1"), oneNode()).partitions((int) number)),
                of(
                        Setting.WEIGHT,
                        weight -> new Attributes(Optional.empty(), Optional.of((int) weight), Optional.empty())));
    }

    private static Arguments of(Setting setting, LongConsumer option) {
        return Arguments.of(setting, option);
    }

    private static Topology oneNode() {
        return Topology.of(new Node(new NodeId("n1"), "127.0.0.1:8080", 1));
    }

    @Test
    void slowCallsHaveTheRangeOfTheBuilderOrAreOff() {
        Setting.Range range = Setting.SLOW_CALLS.range().orElseThrow();
        Options builder = new Options();
        assertThat(range.min()).isZero();
        assertThatCode(() -> builder.slowCalls(Duration.ofMillis(1))).doesNotThrowAnyException();
        assertThatCode(() -> builder.slowCalls(Duration.ofMillis(range.max()))).doesNotThrowAnyException();
        assertThatIllegalArgumentException().isThrownBy(() -> builder.slowCalls(Duration.ofMillis(range.max() + 1L)));
    }
}
