package io.dht4j.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WorkloadTest {

    @ParameterizedTest
    @ValueSource(strings = {"A", "B", "C", "D", "E", "F"})
    void aSeedRepeatsAndAnotherOneDiffers(String name) {
        Workload workload = Workload.parse(name).withValueSizes(ValueSizes.parse("10..4000"));
        assertThat(operations(workload, 1)).isEqualTo(operations(workload, 1)).isNotEqualTo(operations(workload, 2));
    }

    private static List<String> operations(Workload workload, long seed) {
        KeySpace space = new KeySpace(10_000);
        OperationGenerator generator = workload.generator(space, seed);
        List<String> operations = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            OperationKind kind = generator.next();
            assertThat(generator.kind()).isEqualTo(kind);
            operations.add(kind + " " + generator.key() + " " + generator.valueBytes() + " " + generator.scanLength());
            if (kind == OperationKind.INSERT) {
                assertThat(generator.key()).isEqualTo(space.size());
                space.endInsert(generator.key());
            } else {
                assertThat(generator.key()).isBetween(0L, space.size() - 1);
            }
            assertThat(generator.valueBytes())
                    .isBetween(kind == OperationKind.GET || kind == OperationKind.SCAN ? 0 : 10, 4000);
            assertThat(generator.scanLength()).isBetween(kind == OperationKind.SCAN ? 1 : 0, 100);
        }
        return operations;
    }

    @Test
    void theWorkloadsOfYcsbHaveTheirMixes() {
        assertThat(Workload.ycsb())
                .extracting(workload -> workload.name() + ": " + workload.mix() + ", " + workload.keys())
                .containsExactly(
                        "ycsb-a: get=50,update=50, zipfian",
                        "ycsb-b: get=95,update=5, zipfian",
                        "ycsb-c: get=100, zipfian",
                        "ycsb-d: get=95,insert=5, latest",
                        "ycsb-e: insert=5,scan=95, zipfian",
                        "ycsb-f: get=50,rmw=50, zipfian");
        assertThat(Workload.ycsb()).allSatisfy(workload -> {
            assertThat(workload.valueSizes().largest()).isEqualTo(1000);
            assertThat(Workload.parse(workload.name())).isSameAs(workload);
        });
    }

    @Test
    void aChoiceAllocatesNothing() {
        for (String keys : List.of("uniform", "zipfian", "latest", "recent:80/10")) {
            OperationGenerator generator = new Workload(
                            "all",
                            OperationMix.parse("get=20,put=20,update=20,insert=10,scan=20,rmw=10"),
                            KeyDistribution.parse(keys),
                            ValueSizes.parse("1:1,100:2,4000:1"),
                            100)
                    .generator(new KeySpace(100_000), 1);
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long self = Thread.currentThread().getId();
            draw(generator);
            long before = threads.getThreadAllocatedBytes(self);
            draw(generator);
            assertThat(threads.getThreadAllocatedBytes(self) - before).as(keys).isLessThan(10_000);
        }
    }

    private static void draw(OperationGenerator generator) {
        for (int i = 0; i < 10_000; i++) {
            generator.next();
        }
    }

    @Test
    void aKeyIsVisibleWhenItsInsertAndAllEarlierOnesHaveEnded() {
        KeySpace space = new KeySpace(10);
        assertThat(List.of(space.beginInsert(), space.beginInsert(), space.beginInsert()))
                .containsExactly(10L, 11L, 12L);
        space.endInsert(11);
        assertThat(space.size()).isEqualTo(10);
        space.endInsert(10);
        assertThat(space.size()).isEqualTo(12);
        assertThat(space.beginInsert()).isEqualTo(13);
        space.endInsert(13);
        space.endInsert(12);
        assertThat(space.size()).isEqualTo(14);
    }

    @Test
    void aMixOfTwoNumbersIsReadsAndUpdates() {
        assertThat(OperationMix.parse("95/5").percent())
                .isEqualTo(Map.of(OperationKind.GET, 95, OperationKind.UPDATE, 5));
        assertThat(OperationMix.parse("100/0").percent()).isEqualTo(Map.of(OperationKind.GET, 100));
        assertThat(OperationMix.parse("insert=90, update=10"))
                .hasToString("update=10,insert=90")
                .isEqualTo(OperationMix.parse(
                        OperationMix.parse("insert=90, update=10").toString()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"uniform", "zipfian", "zipfian:0.8", "latest", "latest:0.5", "recent:80/10", "recent:99.5/0.1"})
    void theTextOfADistributionIsReadBack(String text) {
        assertThat(KeyDistribution.parse(text)).hasToString(text);
        assertThat(KeyDistribution.parse(" " + text.toUpperCase(java.util.Locale.ROOT)))
                .hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"100", "0", "100..4000", "7..7", "100:90,4096:9,1048576:1"})
    void theTextOfSizesIsReadBack(String text) {
        assertThat(ValueSizes.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "zipfian:1|theta must be 0.01 to 0.999, not \"1\"",
                "latest:x|theta must be 0.01 to 0.999, not \"x\"",
                "recent:101/10|share of recent keys in percent must be 0.1 to 100, not \"101\"",
                "recent:80/NaN|newest keys in percent must be 0.1 to 100, not \"NaN\"",
                "recent:80|keys must be uniform, zipfian, zipfian:THETA, latest, latest:THETA (THETA from 0.01 to"
                        + " 0.999), or recent:SHARE/NEWEST (percentages from 0.1 to 100), not \"recent:80\"",
                "uniform:1|keys must be uniform, zipfian, zipfian:THETA, latest, latest:THETA (THETA from 0.01 to"
                        + " 0.999), or recent:SHARE/NEWEST (percentages from 0.1 to 100), not \"uniform:1\""
            })
    void refusesDistributionsWithTheAllowedRange(String text, String message) {
        assertRefusal(() -> KeyDistribution.parse(text), message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-1|value size in bytes must be 0 to 1073741824, not \"-1\"",
                "10..9|largest value in bytes must be 10 to 1073741824, not \"9\"",
                "10:0|weight of a value size must be 1 to 1000000, not \"0\"",
                "10:1,20|value sizes must be BYTES, LEAST..MOST, or a table of BYTES:WEIGHT, joined by commas (bytes"
                        + " from 0 to 1073741824, weights from 1 to 1000000), not \"10:1,20\""
            })
    void refusesSizesWithTheAllowedRange(String text, String message) {
        assertRefusal(() -> ValueSizes.parse(text), message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "95/6|the shares of operations must be 100 percent together, not 101",
                "101/0|share of get in percent must be 0 to 100, not \"101\"",
                "get=50,get=50|a mix must be GETS/UPDATES, as 95/5, or shares as get=50,insert=50, of get, put, update,"
                        + " insert, scan and rmw; whole percentages, together 100, not \"get=50,get=50\"",
                "read=100|a mix must be GETS/UPDATES, as 95/5, or shares as get=50,insert=50, of get, put, update,"
                        + " insert, scan and rmw; whole percentages, together 100, not \"read=100\""
            })
    void refusesMixesWithTheAllowedRange(String text, String message) {
        assertRefusal(() -> OperationMix.parse(text), message);
    }

    private static void assertRefusal(ThrowingCallable parse, String message) {
        assertThatThrownBy(parse).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }

    @Test
    void refusesWhatIsOutOfRange() {
        assertThatThrownBy(() -> Workload.parse("G")).hasMessage("a workload must be A to F of YCSB, not \"G\"");
        assertThatThrownBy(() -> new KeySpace(0)).hasMessage("keys must be 1 to 10000000000, not 0");
        assertThatThrownBy(() -> new KeyDistribution.Zipfian(1)).hasMessage("theta must be 0.01 to 0.999, not 1.0");
        assertThatThrownBy(() -> new ValueSizes.Table(List.of()))
                .hasMessage("value sizes in a table must be 1 to 1000, not 0");
        assertThatThrownBy(() -> OperationMix.ofGets(101))
                .hasMessage("share of get in percent must be 0 to 100, not 101");
    }
}
